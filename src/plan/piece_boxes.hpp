// The boxes that a piece of an array consists of. Pure.
#pragma once

#include <vector>

#include "plan/array_pieces.hpp"

namespace tessera::plan {

/// Boxes of the whole array that together are the piece. Where pieces are in_order(), the elements
/// of one box after the other, each in C order, are those of the piece, as they lie there. A run
/// needs no more than twice as many boxes as the array has dimensions.
std::vector<Box> boxes_of(const ArrayPieces& pieces, std::int64_t piece);

/// What a part of a joined array has of a box.
struct PartBox {
  std::size_t part = 0;
  Box box;  ///< of the part
  friend bool operator==(const PartBox&, const PartBox&) = default;
};

/// Those that have elements of the box, in their order, in which these lie one behind the other in
/// the box in C order too.
std::vector<PartBox> parts_of(const ArrayPieces& joined, const Box& box);

/// Of pieces that are boxes: those that have elements of the box, which is not empty, in C order.
std::vector<std::int64_t> pieces_meeting(const ArrayPieces& boxes, const Box& box);

/// The elements that are in both.
Box common(const Box& a, const Box& b);

}  // namespace tessera::plan
