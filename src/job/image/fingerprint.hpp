// Identity of a job's data: two runs can work on the same file only if it agrees.
#pragma once

#include <string>
#include <string_view>

#include "job/image/render_job.hpp"

namespace tessera::job {

/// Name of the arithmetic of pixels (docs/numerics.md): another name means other bits.
inline constexpr std::string_view kArithmetic = "f64-fma";
inline constexpr std::string_view kDeepArithmetic = "perturbation-f64";
inline constexpr std::string_view kExactArithmetic = "exact-f64";

constexpr std::string_view arithmetic_name(const ImageSpec& image) {
  return image.deep() ? kDeepArithmetic : image.bounded() ? kExactArithmetic : kArithmetic;
}

/// Whose orbits the counts of such an image are, for people.
std::string_view counts_text(const ImageSpec& image);

/// A number's contribution to a fingerprint: the bits of its f64, and its digits
/// (normalized_decimal()) where the f64 does not determine them, so that two numbers with one f64
/// differ.
std::string number_identity(double value, std::string_view normalized);

/// 16 hexadecimal digits over everything that decides pixels or the layout of the file: the
/// arithmetic, and every option with an `identity`. The same on every machine, and in every version
/// with the same name of the arithmetic. No protection against forgery (64-bit FNV-1a; Fowler, Noll
/// and Vo, draft-eastlake-fnv).
std::string fingerprint(const RenderJob& job);

}  // namespace tessera::job
