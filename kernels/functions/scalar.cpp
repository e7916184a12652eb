#include "kernels/functions/scalar.hpp"

#include "kernels/fma_clones.hpp"
#include "kernels/functions/functions.hpp"

namespace tessera::kernels::functions {

#define TS_ONE(name, Name)                                              \
  TESSERA_WITH_AND_WITHOUT_FMA double name(double x) {                  \
    return scalar::tf_##name(x);                                        \
  }                                                                     \
  float name(float x) {                                                 \
    return static_cast<float>(functions::name(static_cast<double>(x))); \
  }
#define TS_TWO(name, Name)                                                                      \
  TESSERA_WITH_AND_WITHOUT_FMA double name(double x, double y) {                                \
    return scalar::tf_##name(x, y);                                                             \
  }                                                                                             \
  float name(float x, float y) {                                                                \
    return static_cast<float>(functions::name(static_cast<double>(x), static_cast<double>(y))); \
  }
TS_FUNCTIONS(TS_ONE, TS_TWO)
#undef TS_ONE
#undef TS_TWO

#define TS_ONE(name, Name) \
  case Function::name:     \
    return name(x);
#define TS_TWO(name, Name) \
  case Function::name:     \
    return name(x, y);

double call(Function function, double x, double y) {
  switch (function) { TS_FUNCTIONS(TS_ONE, TS_TWO) }
  return x;
}

float call(Function function, float x, float y) {
  switch (function) { TS_FUNCTIONS(TS_ONE, TS_TWO) }
  return x;
}
#undef TS_ONE
#undef TS_TWO

}  // namespace tessera::kernels::functions
