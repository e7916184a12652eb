// Compiled for AVX-512: call it only on machines that have it.
#include "sleef_functions.hpp"

#include <immintrin.h>
#include <sleef.h>

namespace tessera::bench {
namespace {

#define SLEEF_ONE(name, accuracy)                                                              \
  void name##_512(const double* x, const double* /*y*/, double* out, std::size_t count) {      \
    for (std::size_t i = 0; i < count; i += 8) {                                               \
      _mm512_storeu_pd(out + i, Sleef_##name##d8_##accuracy##avx512f(_mm512_loadu_pd(x + i))); \
    }                                                                                          \
  }                                                                                            \
  void name##_2(const double* x, const double* /*y*/, double* out, std::size_t count) {        \
    for (std::size_t i = 0; i < count; i += 4) {                                               \
      _mm256_storeu_pd(out + i, Sleef_##name##d4_##accuracy##avx2(_mm256_loadu_pd(x + i)));    \
    }                                                                                          \
  }
#define SLEEF_TWO(name, accuracy)                                                              \
  void name##_512(const double* x, const double* y, double* out, std::size_t count) {          \
    for (std::size_t i = 0; i < count; i += 8) {                                               \
      _mm512_storeu_pd(out + i, Sleef_##name##d8_##accuracy##avx512f(_mm512_loadu_pd(x + i),   \
                                                                     _mm512_loadu_pd(y + i))); \
    }                                                                                          \
  }                                                                                            \
  void name##_2(const double* x, const double* y, double* out, std::size_t count) {            \
    for (std::size_t i = 0; i < count; i += 4) {                                               \
      _mm256_storeu_pd(out + i, Sleef_##name##d4_##accuracy##avx2(_mm256_loadu_pd(x + i),      \
                                                                  _mm256_loadu_pd(y + i)));    \
    }                                                                                          \
  }
#define SLEEF_FUNCTIONS(one, two)                                                             \
  one(exp, u10) one(exp2, u10) one(expm1, u10) one(log, u10) one(log2, u10) one(log10, u10)   \
      one(log1p, u10) one(sin, u10) one(cos, u10) one(tan, u10) one(asin, u10) one(acos, u10) \
          one(atan, u10) one(sinh, u10) one(cosh, u10) one(tanh, u10) one(cbrt, u10)          \
              two(atan2, u10) two(hypot, u05) two(pow, u10)
SLEEF_FUNCTIONS(SLEEF_ONE, SLEEF_TWO)

struct Row {
  std::string_view name;
  Block avx512, avx2;
};

#define SLEEF_ROW(name, accuracy) Row{#name, name##_512, name##_2},
constexpr Row kRows[] = {SLEEF_FUNCTIONS(SLEEF_ROW, SLEEF_ROW)};

}  // namespace

Block sleef_function(std::string_view name, bool avx512) {
  for (const Row& row : kRows) {
    if (row.name == name) return avx512 ? row.avx512 : row.avx2;
  }
  return nullptr;
}

}  // namespace tessera::bench
