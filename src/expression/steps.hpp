// A program as the steps that a GPU executes (kernels/gpu/expression_arguments.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "expression/program.hpp"
#include "kernels/gpu/expression_arguments.hpp"

namespace tessera::expression {

/// An array that the steps load: an input of the program, or its indices.
struct StepArray {
  base::ElementType type = base::ElementType::f64;
  bool is_index = false;
  std::uint64_t number = 0;  ///< number of the input, or Node::detail of the index

  friend bool operator==(const StepArray&, const StepArray&) = default;
};

struct Steps {
  std::vector<kernels::TsStep> steps;  ///< the last one has the result
  std::vector<StepArray> arrays;
  std::vector<kernels::TsMapResult> results;  ///< results of join(): types and registers
};

/// Nothing if the program has too many steps, registers, arrays or results for a GPU.
std::optional<Steps> steps_of(const Program& program);

}  // namespace tessera::expression
