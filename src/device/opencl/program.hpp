// The kernels, built for a device: from the cache of an earlier run, or from the source that is in
// this binary.
#pragma once

#include "device/opencl/handle.hpp"
#include "device/opencl/platforms.hpp"

namespace tessera::device::opencl {

/// The texts that are built; made from kernels/opencl/pixels.cl and kernels/opencl/reduce.cl.
extern const char* const kKernelSource;
extern const char* const kReduceSource;

/// Cached under $XDG_CACHE_HOME/tessera (or ~/.cache/tessera), by device, driver and source. A
/// cache entry that is damaged, or that the driver does not take, is built anew; a cache that
/// cannot be written is done without. Throws DeviceError with the start of the compiler's log.
Program build_program(const Api& cl, cl_context context, const FoundDevice& device,
                      const char* source);

}  // namespace tessera::device::opencl
