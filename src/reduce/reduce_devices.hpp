// Chooses the devices for a reduction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::reduce {

/// From so many bytes of files on, it takes less time to open a GPU than it may save.
// crossed by: AutoIsTheCoresForSmallFiles
inline constexpr std::uint64_t kWorthGpuBytes = std::uint64_t{32} << 30;

/// Returns the device list for choose_devices(). `auto` is kept if a GPU may be faster than the CPU
/// cores, and becomes the cores otherwise: data of files reach a GPU through memory and PCIe, but
/// cores read them at the speed of memory (docs/reduce.md). A named device is kept. `file_bytes`:
/// what each rank reads of files; 0 = all arrays are generated on the device that reduces them.
std::string reduce_devices(std::string_view list, std::uint64_t file_bytes,
                           bool cores_only = false);

/// The devices of a rank that reads files, where `auto` has chosen `chosen`: a GPU and the cores.
std::string with_cores(const std::string& chosen);

}  // namespace tessera::reduce
