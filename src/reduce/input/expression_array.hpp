// An expression of arrays is an array: reading a piece reads the pieces of its inputs and evaluates
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "job/array_input.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

struct ExpressionSpec {
  std::string text;
  std::string what;                         ///< begins the messages: "--map"
  std::span<const std::string> names;       ///< of the inputs
  std::span<const job::ArrayInput> inputs;  ///< a * in a path joins the files that match
  std::uint64_t slice_bytes = 0;            ///< elements that a thread reads in sequence
  bool plain = false;                       ///< evaluated one element at a time, as a reference
};

/// Opens the inputs and parses the expression. The result has the shape to which the inputs
/// broadcast, by NumPy's rules. Throws the errors of open_input(), and usage errors for a wrong
/// expression, for shapes that do not broadcast and for an input that the result does not depend
/// on.
std::unique_ptr<store::ArraySource> open_expression(const ExpressionSpec& spec,
                                                    std::int64_t piece_bytes);

}  // namespace tessera::reduce
