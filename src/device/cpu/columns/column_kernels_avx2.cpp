// Sums of columns and of rows for AVX2.
#include "kernels/real/vector_sets.hpp"
#if HWY_TARGETS & HWY_AVX2
#undef HWY_TARGET
#define HWY_TARGET HWY_AVX2
#include "device/cpu/columns/column_kernels-inl.hpp"
#endif
