#include "expression/functions.hpp"

#include <algorithm>
#include <array>

namespace tessera::expression {
namespace {

constexpr std::array<Function, 0> kFunctions = {};

}  // namespace

std::span<const Function> functions() {
  return kFunctions;
}

int find_function(std::string_view name) {
  const auto found = std::ranges::find(functions(), name, &Function::name);
  return found == functions().end() ? -1 : static_cast<int>(found - functions().begin());
}

}  // namespace tessera::expression
