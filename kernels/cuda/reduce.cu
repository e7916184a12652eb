// The kernels of arrays as CUDA C++.
#include "kernels/cuda/reduce.hpp"
#include "kernels/cuda/reduce_words.h"

namespace tessera::kernels {

#include "kernels/gpu/generate.h"
#include "kernels/gpu/reduce.h"
#include "kernels/gpu/reduce_kernels.h"

const void* entry_of(ArrayKernel kernel) {
  static const void* const kEntries[] = {
#define TS_ENTRY(name, arguments, blocks) reinterpret_cast<const void*>(ts_##name),
      TS_ARRAY_KERNELS(TS_ENTRY)
#undef TS_ENTRY
  };
  return kEntries[static_cast<int>(kernel)];
}

}  // namespace tessera::kernels
