// The functions of real numbers that expressions know, beside those that are operations: one row
// each.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tessera::expression {

/// A function of one or two arguments; those of one ignore the second.
struct Function {
  std::string_view name;
  std::size_t arity = 1;
  double (*f8)(double x, double y) = nullptr;
  float (*f4)(float x, float y) = nullptr;
  /// The same for `count` elements. No argument may overlap `result` unless it is the same.
  void (*f8_block)(const double* x, const double* y, double* result, std::size_t count) = nullptr;
  void (*f4_block)(const float* x, const float* y, float* result, std::size_t count) = nullptr;
};

std::span<const Function> functions();

/// The row of that name, or -1. `x ** y` is the function "pow".
int find_function(std::string_view name);

}  // namespace tessera::expression
