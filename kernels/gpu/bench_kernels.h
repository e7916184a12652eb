/* Kernels on arrays for `tessera bench` (src/device/bench_arrays.hpp), in the subset that CUDA C++
 * and OpenCL C share, with the definitions that kernels/pixel/render_kernel.h asks for. Grid-stride
 * loops: any size, any grid. */

TS_KERNEL void ts_fill(TS_GLOBAL double* a, TS_GLOBAL double* b, TS_U64 count) {
  const TS_U64 stride = (TS_U64)TS_BLOCKS() * TS_BLOCK_SIZE;
  for (TS_U64 i = (TS_U64)TS_BLOCK() * TS_BLOCK_SIZE + TS_THREAD(); i < count; i += stride) {
    a[i] = (double)(i % 1024);
    b[i] = (double)(3 * (i % 512));
  }
}

TS_KERNEL void ts_add_arrays(TS_GLOBAL const double* a, TS_GLOBAL const double* b,
                             TS_GLOBAL double* c, TS_U64 count) {
  const TS_U64 stride = (TS_U64)TS_BLOCKS() * TS_BLOCK_SIZE;
  for (TS_U64 i = (TS_U64)TS_BLOCK() * TS_BLOCK_SIZE + TS_THREAD(); i < count; i += stride) {
    c[i] = ts_add(a[i], b[i]);
  }
}

/* partial[block] = the sum of the block's share; exact, because all sums are small integers. */
TS_KERNEL void ts_sum_array(TS_GLOBAL const double* a, TS_GLOBAL double* partial, TS_U64 count) {
  TS_LOCAL double sums[TS_BLOCK_SIZE];
  const TS_U32 thread = TS_THREAD();
  const TS_U64 stride = (TS_U64)TS_BLOCKS() * TS_BLOCK_SIZE;
  double sum = 0.0;
  for (TS_U64 i = (TS_U64)TS_BLOCK() * TS_BLOCK_SIZE + thread; i < count; i += stride) {
    sum = ts_add(sum, a[i]);
  }
  sums[thread] = sum;
  for (TS_U32 reach = TS_BLOCK_SIZE / 2; reach > 0; reach /= 2) {
    TS_BARRIER();
    if (thread < reach) sums[thread] = ts_add(sums[thread], sums[thread + reach]);
  }
  if (thread == 0) partial[TS_BLOCK()] = sums[0];
}
