#include "expression/functions.hpp"

#include <algorithm>
#include <array>

#include "kernels/functions/functions.hpp"

namespace tessera::expression {
namespace {

namespace fn = kernels::functions;

#define TS_ONE(id, Name)                                                    \
  Function{.name = #id,                                                     \
           .arity = 1,                                                      \
           .f8 = [](double x, double) { return fn::id(x); },                \
           .f4 = [](float x, float) { return fn::id(x); },                  \
           .f8_block = [](const double* x, const double*, double* result,   \
                          std::size_t count) { fn::id(x, result, count); }, \
           .f4_block = [](const float* x, const float*, float* result,      \
                          std::size_t count) { fn::id(x, result, count); }},
#define TS_TWO(id, Name) Function{#id, 2, &fn::id, &fn::id, &fn::id, &fn::id},
constexpr auto kFunctions = std::to_array<Function>({TS_FUNCTIONS(TS_ONE, TS_TWO)});
#undef TS_ONE
#undef TS_TWO

}  // namespace

std::span<const Function> functions() {
  return kFunctions;
}

int find_function(std::string_view name) {
  const auto found = std::ranges::find(functions(), name, &Function::name);
  return found == functions().end() ? -1 : static_cast<int>(found - functions().begin());
}

}  // namespace tessera::expression
