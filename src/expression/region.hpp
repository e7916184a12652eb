// The coordinates of consecutive elements, for `index`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tessera::expression {

/// The elements of a box of an array, in the order in which they are evaluated.
struct Region {
  std::vector<std::int64_t> shape;   ///< shape of the whole array
  std::vector<std::int64_t> origin;  ///< origin of the box
  std::vector<std::int64_t> extent;
  bool first_fastest = false;  ///< the order of the box's elements is Fortran's
  std::int64_t first = 0;      ///< number in the box of the first element that is evaluated

  /// The coordinate in this dimension, 0 if there is none, or for kFlat the index in C order, of
  /// the elements from number `element` on, counted from `first`.
  void fill(std::uint64_t dimension, std::int64_t element, std::span<std::int64_t> values) const;
};

}  // namespace tessera::expression
