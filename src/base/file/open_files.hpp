// How many files a process may have open at once.
#pragma once

#include <cstdint>

namespace tessera::base {

/// Raises the limit to so many, as far as the system lets the user; what is asked for in vain, or
/// allowed already, changes nothing.
void allow_open_files(std::uint64_t files) noexcept;

}  // namespace tessera::base
