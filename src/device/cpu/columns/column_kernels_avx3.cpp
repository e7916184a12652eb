// Sums of columns and of rows for AVX-512.
#include "kernels/real/vector_sets.hpp"
#if HWY_TARGETS & HWY_AVX3
#undef HWY_TARGET
#define HWY_TARGET HWY_AVX3
#include "device/cpu/columns/column_kernels-inl.hpp"
#endif
