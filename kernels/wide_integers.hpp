// Integers of 128 bits.
#pragma once

namespace tessera::kernels {

__extension__ using Int128 = __int128;
__extension__ using UnsignedInt128 = unsigned __int128;

}  // namespace tessera::kernels
