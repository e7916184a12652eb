// The kernel of functions.cu.
#pragma once

#include <cstddef>

namespace tessera::kernels {

bool has_gpu();
/// x[i] = f(x[i]) or f(x[i], y[i]), f in that row of the table. False if CUDA fails.
bool apply_on_gpu(unsigned function, double* x, const double* y, std::size_t count);

}  // namespace tessera::kernels
