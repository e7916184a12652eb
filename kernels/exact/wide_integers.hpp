// Integers of 128 bits.
#pragma once

#include <string>

namespace tessera::kernels {

__extension__ using Int128 = __int128;
__extension__ using UnsignedInt128 = unsigned __int128;

/// high * 2^64 + low.
std::string decimal(Int128 high, UnsignedInt128 low);

}  // namespace tessera::kernels
