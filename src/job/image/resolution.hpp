// How deep a zoom f64 can resolve, and which arithmetic a job takes.
#pragma once

#include <string>

#include "job/image/render_job.hpp"

namespace tessera::job {

/// True if any two neighbouring pixels have different coordinates in f64. Coordinates are rounded
/// once (docs/numerics.md), so this holds if the step between pixels is larger than the spacing of
/// f64 at the image's largest coordinate. A step equal to that spacing can meet ties, which round
/// to even in pairs.
bool distinguishes_pixels(const ImageSpec& image);

/// Whether `auto` takes perturbation: pixels are less than 2^-kPlainStepBits apart. From
/// there on, rounding in orbits of f64 makes too many counts wrong (docs/deep-zoom.md).
inline constexpr int kPlainStepBits = 32;
bool needs_perturbation(const ImageSpec& image);

/// True for a deep image in which neighbouring pixels have equal coordinates in f64. An open
/// arithmetic counts as resolve_arithmetic() would decide it.
bool is_beyond_f64(const RenderJob& job);

/// Decides an open arithmetic by needs_perturbation(). Sets `image.place` for perturbation.
void resolve_arithmetic(RenderJob& job);

/// Which part of the centre has too few digits for the width, and how many are needed: "its real
/// part has 20 decimal places, ..."; "" if there are enough. A number of at most kExactDigits
/// digits, such as -1.75, is exact.
std::string missing_digits(const RenderJob& job);
// crossed by: with_too_few_digits_is_refused_unless_the_number_looks_exact
inline constexpr std::int64_t kExactDigits = 8;

/// A width that suffices for distinguishes_pixels() with this centre and size, as text with two
/// digits; at most a few per cent above the smallest such width.
std::string min_width(ImageSpec image);

/// The centre in f64, if f64 cannot hold all given digits. "" otherwise, and for perturbation,
/// which uses all digits.
std::string rounded_center(const RenderJob& job);

}  // namespace tessera::job
