// Computes the boxes that a piece of an array consists of. Pure.
#pragma once

#include <vector>

#include "plan/array_pieces.hpp"

namespace tessera::plan {

/// Boxes of the whole array that together are the piece. If the pieces are in_order(), the elements
/// of the boxes, box after box, each in C order, are the elements of the piece in its order. A run
/// needs at most twice as many boxes as the array has dimensions.
std::vector<Box> boxes_of(const ArrayPieces& pieces, std::int64_t piece);

/// The intersection of a box with one part of a joined array.
struct PartBox {
  std::size_t part = 0;
  Box box;  ///< in the part's coordinates
  friend bool operator==(const PartBox&, const PartBox&) = default;
};

/// The parts that intersect the box, in order. In C order, their elements follow each other in the
/// box too.
std::vector<PartBox> parts_of(const ArrayPieces& joined, const Box& box);

/// For pieces that are boxes: those that intersect the non-empty `box`, in C order.
std::vector<std::int64_t> pieces_meeting(const ArrayPieces& boxes, const Box& box);

/// Whether they have an element in common.
bool meet(const Box& a, const Box& b);
/// The intersection.
Box common(const Box& a, const Box& b);

}  // namespace tessera::plan
