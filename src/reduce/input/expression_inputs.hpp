// The inputs of expressions: opened together, broadcast to one shape, cut into the same pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "expression/program.hpp"
#include "plan/array_pieces.hpp"
#include "reduce/input/expression_array.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

struct ExpressionInput {
  std::string name;
  std::unique_ptr<store::ArraySource> source;
  bool named = true;  ///< in an expression, or in none of them: decides the shape
  bool used = true;
  bool full = true;         ///< has the shape of the result; others are broadcast
  bool same_pieces = true;  ///< as the result
  base::Bytes held{};       ///< all elements of a small broadcast array

  std::size_t element_bytes() const { return base::element_bytes(source->info().type); }
};

struct ExpressionInputs {
  std::vector<ExpressionInput> list;
  std::vector<expression::Program> programs;  ///< programs for the texts of the spec
  plan::ArrayPieces pieces;
  plan::StorageOrder order = plan::StorageOrder::last_dimension_fastest;
  std::int64_t slice_pieces = 1;  ///< that a thread reads in sequence

  const job::Shape& shape() const { return pieces.shape(); }
  /// Whether any expression uses an input.
  std::vector<bool> used() const;
};

/// As open_expressions().
ExpressionInputs open_expression_inputs(const ExpressionSpec& spec, std::int64_t piece_bytes);

}  // namespace tessera::reduce
