// Exact sums for what every machine has.
#include "kernels/real/vector_sets.hpp"
#if !(HWY_STATIC_TARGET & (HWY_AVX3 | HWY_AVX2))
#include "device/cpu/sums/exact_sum_set-inl.hpp"
#endif
