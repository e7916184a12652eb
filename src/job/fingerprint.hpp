// Identity of a job's data: two runs can work on the same file only if it agrees.
#pragma once

#include <string>
#include <string_view>

#include "job/render_job.hpp"

namespace tessera::job {

/// Name of the arithmetic of pixels (docs/numerics.md): another name means other bits.
inline constexpr std::string_view kArithmetic = "f64-fma";

/// 16 hexadecimal digits over everything that decides pixels or the layout of the file: image,
/// fields, tile, filtered or not, arithmetic. The same on every machine, and in every version with
/// the same name of the arithmetic. No protection against forgery (64-bit FNV-1a; Fowler, Noll and
/// Vo, draft-eastlake-fnv).
std::string fingerprint(const RenderJob& job);

}  // namespace tessera::job
