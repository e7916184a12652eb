// Chooses the devices for a reduction.
#pragma once

#include <string>
#include <string_view>

namespace tessera::reduce {

/// The property of a reduction that `auto` depends on.
struct ReductionKind {
  /// All arrays are generated on the device that reduces them: nothing is copied to a GPU.
  bool generated = false;
};

/// Returns the device list for choose_devices(). `auto` is kept if a GPU is faster than the CPU
/// cores, and becomes the cores otherwise: data of files reach a GPU through memory and PCIe, but
/// cores read them at the speed of memory (docs/reduce.md). A named device is kept.
std::string reduce_devices(std::string_view list, const ReductionKind& kind);

}  // namespace tessera::reduce
