// The boxes that a piece of an array consists of. Pure.
#pragma once

#include <vector>

#include "plan/array_pieces.hpp"

namespace tessera::plan {

/// Boxes of the whole array that together are the piece. Where pieces are in_order(), the elements
/// of one box after the other, each in C order, are those of the piece, as they lie there. A run
/// needs no more than twice as many boxes as the array has dimensions.
std::vector<Box> boxes_of(const ArrayPieces& pieces, std::int64_t piece);

}  // namespace tessera::plan
