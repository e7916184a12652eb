// An expression of arrays is an array: reading a piece reads the pieces of its inputs and evaluates
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "job/arrays/array_input.hpp"
#include "reduce/input/mapped_source.hpp"

namespace tessera::reduce {

struct ExpressionText {
  std::string text;
  std::string what;  ///< begins the messages: "--map"
  std::string name{};
};

struct ExpressionSpec {
  std::vector<ExpressionText> texts;    ///< texts of expressions that are evaluated together
  std::vector<std::string> names;       ///< names of the inputs
  std::vector<job::ArrayInput> inputs;  ///< a * in a path joins the files that match
  std::uint64_t slice_bytes = 0;        ///< bytes of the result that a thread reads in sequence
  bool plain = false;                   ///< evaluated one element at a time, as a reference
  /// What without_subscripts() has found: "1:" or "k" for the inputs that have one.
  std::vector<std::string> subscripts{};
  std::shared_ptr<const ExpressionSpec> before{};  ///< the same with subscripts
};

/// Opens the inputs and parses the expressions. The array has the elements of the first one, and
/// the shape to which the inputs that it names broadcast, by NumPy's rules. Throws the errors of
/// open_input(), and usage errors for a wrong expression, for shapes that do not broadcast, for an
/// expression of another shape, and for an input that no expression names although one of them is
/// named.
std::unique_ptr<MappedSource> open_expressions(const ExpressionSpec& spec,
                                               std::int64_t piece_bytes);

}  // namespace tessera::reduce
