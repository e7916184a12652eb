// Builds the kernels for a device, from the cache of an earlier run or from the source embedded in
// the executable.
#pragma once

#include "device/opencl/handle.hpp"
#include "device/opencl/platforms.hpp"

namespace tessera::device::opencl {

/// Embedded sources, generated from bench.cl, pixels.cl, deep.cl, reduce.cl and expression.cl of
/// kernels/opencl.
extern const char* const kBenchSource;
extern const char* const kPixelSource;
extern const char* const kDeepSource;
extern const char* const kDeepPreciseSource;
extern const char* const kDeepWideSource;
extern const char* const kReduceSource;
extern const char* const kExpressionSource;

/// The cache lies under $XDG_CACHE_HOME/tessera (or ~/.cache/tessera); its key is device, driver
/// and source. A cache entry that is damaged, or that the driver rejects, is rebuilt; a cache that
/// cannot be written is ignored. Throws DeviceError with the start of the compiler's log.
Program build_program(const Api& cl, cl_context context, const FoundDevice& device,
                      const char* source);

}  // namespace tessera::device::opencl
