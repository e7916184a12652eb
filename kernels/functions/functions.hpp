// Elementary functions with the same bits on every machine, instruction set and GPU, within 0.52
// units in the last place of f64 and 0.501 of f32 (docs/numerics-functions.md, "Functions").
// Special values are C's; a NaN has one bit pattern. They need rounding to nearest and subnormal
// numbers.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "kernels/functions/list.h"

namespace tessera::kernels::functions {

#define TS_NAME(name, Name) name,
enum class Function { TS_FUNCTIONS(TS_NAME, TS_NAME) };
#undef TS_NAME

struct FunctionRow {
  Function function;
  std::string_view name;
  int arity;
};

#define TS_ONE(name, Name) FunctionRow{Function::name, #name, 1},
#define TS_TWO(name, Name) FunctionRow{Function::name, #name, 2},
inline constexpr auto kFunctions = std::to_array<FunctionRow>({TS_FUNCTIONS(TS_ONE, TS_TWO)});
#undef TS_ONE
#undef TS_TWO

/// One value, by scalar code: the definition of each function. f32 goes through f64 and is rounded
/// once more.
#define TS_ONE(name, Name) \
  double name(double x);   \
  float name(float x);
#define TS_TWO(name, Name)         \
  double name(double x, double y); \
  float name(float x, float y);
TS_FUNCTIONS(TS_ONE, TS_TWO)
#undef TS_ONE
#undef TS_TWO

/// The same for `count` values, by the best vectors of this machine. `out` may be an input.
#define TS_ONE(name, Name)                                     \
  void name(const double* in, double* out, std::size_t count); \
  void name(const float* in, float* out, std::size_t count);
#define TS_TWO(name, Name)                                                     \
  void name(const double* x, const double* y, double* out, std::size_t count); \
  void name(const float* x, const float* y, float* out, std::size_t count);
TS_FUNCTIONS(TS_ONE, TS_TWO)
#undef TS_ONE
#undef TS_TWO

/// The function of a row of the table; `y` is ignored by functions of one argument.
double call(Function function, double x, double y);
float call(Function function, float x, float y);
void call(Function function, const double* x, const double* y, double* out, std::size_t count);
void call(Function function, const float* x, const float* y, float* out, std::size_t count);

}  // namespace tessera::kernels::functions
