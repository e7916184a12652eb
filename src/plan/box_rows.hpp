// The stretches that a box of an array stored in C order is made of. Pure: knows shapes, not files.
#pragma once

#include <cstdint>

#include "plan/array_pieces.hpp"

namespace tessera::plan {

/// Rows as long as they can be, in groups of equal distance: row r of a group whose first element
/// is f of the array is [f + r * stride, f + r * stride + row). Groups, and the rows in them, come
/// in the order in which the box has them.
class BoxRows {
 public:
  /// The box has elements, and lies in the array.
  BoxRows(const Shape& shape, const Box& box);

  std::int64_t row() const { return row_; }    ///< elements of each
  std::int64_t rows() const { return rows_; }  ///< of each group
  std::int64_t stride() const { return stride_; }
  std::int64_t groups() const { return element_count(counts_); }
  /// The first element of the group.
  std::int64_t first(std::int64_t group) const;

 private:
  std::int64_t row_ = 1;
  std::int64_t rows_ = 1;
  std::int64_t stride_ = 0;
  std::int64_t origin_ = 0;  ///< first element of the box
  Shape counts_;             ///< of groups along the dimensions that are left
  Shape strides_;
};

}  // namespace tessera::plan
