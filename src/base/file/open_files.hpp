// The open files of the process: their limit, and the end of those that were inherited.
#pragma once

#include <cstdint>

namespace tessera::base {

/// Raises the limit to `files`, as far as the system permits. Never lowers it, and ignores
/// failures.
void allow_open_files(std::uint64_t files) noexcept;

/// Whether at least `spare` more files can be opened; raises the limit for that if it can.
bool have_spare_files(std::uint64_t spare) noexcept;

/// Closes all descriptors from `first` on.
void close_files_from(int first) noexcept;

}  // namespace tessera::base
