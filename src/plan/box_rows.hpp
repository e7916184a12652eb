// Splits a box of a C-order array into contiguous rows. Pure: knows shapes, not files.
#pragma once

#include <cstdint>

#include "plan/array_pieces.hpp"

namespace tessera::plan {

/// Rows of maximal length, in groups with a constant stride. If a group's first element is f, its
/// row r is [f + r * stride, f + r * stride + row). Groups, and the rows in them, are in the order
/// of the box.
class BoxRows {
 public:
  /// The box must be non-empty and lie in the array.
  BoxRows(const Shape& shape, const Box& box);

  std::int64_t row() const { return row_; }    ///< elements of a row
  std::int64_t rows() const { return rows_; }  ///< rows of a group
  std::int64_t stride() const { return stride_; }
  std::int64_t groups() const { return element_count(counts_); }
  /// Index of the group's first element in the array.
  std::int64_t first(std::int64_t group) const;

 private:
  std::int64_t row_ = 1;
  std::int64_t rows_ = 1;
  std::int64_t stride_ = 0;
  std::int64_t origin_ = 0;  ///< index of the box's first element
  Shape counts_;             ///< groups along the outer dimensions
  Shape strides_;
};

}  // namespace tessera::plan
