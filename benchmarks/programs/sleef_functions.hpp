// The functions of SLEEF for arrays, next to which functions_bench measures Tessera's.
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::bench {

/// Applies a function to `count` numbers, a multiple of 8; functions of one argument ignore `y`.
using Block = void (*)(const double* x, const double* y, double* out, std::size_t count);

/// Versions within 1.0 units in the last place (hypot: 0.5), by AVX-512 or AVX2. Null without one.
Block sleef_function(std::string_view name, bool avx512);

}  // namespace tessera::bench
