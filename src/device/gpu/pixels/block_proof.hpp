// Finds blocks whose pixels all have the same count. The proof is one orbit with a bound on its
// error.
#pragma once

#include <cstdint>
#include <optional>

#include "base/geometry.hpp"
#include "job/image/render_job.hpp"

namespace tessera::device::gpu {

/// The count of all pixels of `block`, if it can be proven in a time that is short against that of
/// rendering it (docs/formulas.md, "Blocks of one count"). Works for every formula and bailout.
std::optional<std::uint64_t> proven_count(const job::ImageSpec& image,
                                          const base::PixelRect& block);

}  // namespace tessera::device::gpu
