// Chooses the devices for a reduction.
#pragma once

#include <string>
#include <string_view>

namespace tessera::reduce {

/// Returns the device list for choose_devices(). `auto` is kept if a GPU is faster than the CPU
/// cores, and becomes the cores otherwise: data of files reach a GPU through memory and PCIe, but
/// cores read them at the speed of memory (docs/reduce.md). A named device is kept. `generated`:
/// all arrays are generated on the device that reduces them, and nothing is copied to a GPU.
std::string reduce_devices(std::string_view list, bool generated);

}  // namespace tessera::reduce
