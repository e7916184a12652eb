/* OpenCL C 1.2 definitions of what kernels/gpu/load.h needs beside kernels/opencl/words.h. */

#define TS_I64 long

/* A device may flush subnormal f32 to zero, but not subnormal f64. */
static double ts_widen_f32(uint bits) {
  if ((bits & 0x7F800000) == 0) {
    const double size = (double)(bits & 0x7FFFFF) * 0x1p-149;
    return bits >> 31 != 0 ? -size : size;
  }
  return (double)as_float(bits);
}
#define TS_WIDEN_F32(bits) ts_widen_f32(bits)
