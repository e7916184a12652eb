// The elements of a piece of an axis reduction as matrices: of each column an output, or of each
// row.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/axis_plan.hpp"

namespace tessera::statistics {

struct MatrixView {
  std::int64_t offset = 0;  ///< offset of the first element in the piece
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  bool by_rows = false;  ///< row r makes output first_output + r, otherwise column c
  std::int64_t first_output = 0;
  // Which of all elements of its output an element is.
  std::int64_t first_index = 0;
  std::int64_t row_step = 0;
  std::int64_t column_step = 0;
};

/// Calls visit(view) for matrices that hold all elements of the piece; their rows lie one behind
/// the other.
template <class Visit>
void for_each_view(const plan::AxisPiece& piece, const Visit& visit) {
  std::vector<plan::AxisLevel> outer = piece.levels;
  MatrixView view{.first_index = piece.first_index};
  plan::AxisLevel inner;
  if (!outer.empty()) {
    inner = outer.back();
    outer.pop_back();
  }
  view.columns = inner.extent;
  view.by_rows = inner.reduced;
  view.column_step = inner.index_step;
  // The level around the innermost one, if it is of the other kind, makes the rows.
  if (!outer.empty() && outer.back().reduced != inner.reduced) {
    view.rows = outer.back().extent;
    view.row_step = outer.back().index_step;
    outer.pop_back();
  }
  std::int64_t count = 1;
  for (const plan::AxisLevel& level : outer) count *= level.extent;
  const std::int64_t elements = view.rows * view.columns;
  for (std::int64_t i = 0; i < count; ++i) {
    MatrixView one = view;
    one.offset = i * elements;
    std::int64_t rest = i;
    for (auto level = outer.rbegin(); level != outer.rend(); ++level) {
      one.first_output += rest % level->extent * level->output_step;
      one.first_index += rest % level->extent * level->index_step;
      rest /= level->extent;
    }
    visit(one);
  }
}

}  // namespace tessera::statistics
