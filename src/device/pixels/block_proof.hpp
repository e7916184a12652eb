// Finds blocks whose pixels all have the same count. The proof is one orbit with a bound on its
// error.
#pragma once

#include <cstdint>
#include <optional>

#include "base/geometry.hpp"
#include "job/image/render_job.hpp"

namespace tessera::device {

/// The count of all pixels of `block`, if it can be proven in so many steps (docs/formulas.md,
/// "Blocks of one count"). Works for every formula and bailout. A step takes the time of some
/// tens of pixels, if these are quick.
std::optional<std::uint64_t> proven_count(const job::ImageSpec& image, const base::PixelRect& block,
                                          std::int64_t max_steps);

/// The same if all pixels have one value of each field, too: `smooth` is the count, `distance` 0.
/// Nothing for pixels by perturbation.
std::optional<std::uint64_t> proven_value(const job::ImageSpec& image,
                                          const job::MoreFields& fields,
                                          const base::PixelRect& block, std::int64_t max_steps);

}  // namespace tessera::device
