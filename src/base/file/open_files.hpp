// Limit on the number of open files of the process.
#pragma once

#include <cstdint>

namespace tessera::base {

/// Raises the limit to `files`, as far as the system permits. Never lowers it, and ignores
/// failures.
void allow_open_files(std::uint64_t files) noexcept;

/// Whether at least `spare` more files can be opened; raises the limit for that if it can.
bool have_spare_files(std::uint64_t spare) noexcept;

}  // namespace tessera::base
