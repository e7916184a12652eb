// An expression of arrays is an array: reading a piece reads the pieces of its inputs and evaluates
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "job/array_input.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

struct ExpressionSpec {
  std::string text;
  std::string what;                     ///< begins the messages: "--map"
  std::vector<std::string> all_texts;   ///< of the job, this one among them
  std::vector<std::string> names;       ///< of the inputs
  std::vector<job::ArrayInput> inputs;  ///< a * in a path joins the files that match
  std::uint64_t slice_bytes = 0;        ///< bytes of the result that a thread reads in sequence
  bool plain = false;                   ///< evaluated one element at a time, as a reference
};

/// Opens the inputs and parses the expression. The result has the shape to which the inputs
/// broadcast, by NumPy's rules. Throws the errors of open_input(), and usage errors for a wrong
/// expression, for shapes that do not broadcast, and for an input that no expression names although
/// one of them is named. Inputs that another expression names do not count here.
std::unique_ptr<store::ArraySource> open_expression(const ExpressionSpec& spec,
                                                    std::int64_t piece_bytes);

}  // namespace tessera::reduce
