#include "plan/piece_boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::plan {
namespace {

/// Indices in C order of the elements of the boxes.
std::vector<std::int64_t> indices_of(const std::vector<Box>& boxes, const Shape& shape) {
  std::vector<std::int64_t> indices;
  for (const Box& box : boxes) {
    for (std::int64_t e = 0; e < box.elements(); ++e) {
      std::int64_t rest = e, index = 0, stride = 1;
      for (std::size_t d = shape.size(); d-- > 0;) {
        index += (box.origin[d] + rest % box.extent[d]) * stride;
        rest /= box.extent[d];
        stride *= shape[d];
      }
      indices.push_back(index);
    }
  }
  return indices;
}

void expect_all(const ArrayPieces& pieces) {
  for (std::int64_t piece = 0; piece < pieces.count(); ++piece) {
    const auto boxes = boxes_of(pieces, piece);
    EXPECT_LE(boxes.size(), 2 * std::max<std::size_t>(1, pieces.shape().size()));
    auto got = indices_of(boxes, pieces.shape());
    std::vector<std::int64_t> wanted;
    for (std::int64_t e = 0; e < pieces.elements(piece); ++e) {
      wanted.push_back(pieces.index(piece, e));
    }
    if (!pieces.in_order()) {
      std::ranges::sort(got);
      std::ranges::sort(wanted);
    }
    EXPECT_EQ(got, wanted) << piece;
  }
}

TEST(PieceBoxes, hold_the_elements_of_the_piece_in_its_order) {
  for (const auto order :
       {StorageOrder::last_dimension_fastest, StorageOrder::first_dimension_fastest}) {
    for (const Shape& shape : {Shape{37}, {5, 7}, {3, 4, 5}, {1, 6, 1, 4}, {2, 3, 2, 3}, {9, 1}}) {
      for (const std::int64_t run : {1, 2, 5, 7, 11, 20, 24, 1000}) {
        expect_all(ArrayPieces::runs(shape, order, run));
      }
    }
  }
  expect_all(ArrayPieces::boxes({5, 7, 3}, {2, 3, 2}));
  expect_all(ArrayPieces::runs({}, StorageOrder::last_dimension_fastest, 4));
}

TEST(PieceBoxes, lie_in_the_whole_of_joined_arrays) {
  const auto order = StorageOrder::first_dimension_fastest;
  expect_all(
      ArrayPieces::joined({ArrayPieces::runs({3, 5}, order, 4), ArrayPieces::boxes({2, 5}, {1, 3}),
                           ArrayPieces::runs({4, 5}, StorageOrder::last_dimension_fastest, 7)}));
}

TEST(PieceBoxes, of_joined_arrays_are_found_by_part) {
  const auto order = StorageOrder::last_dimension_fastest;
  const auto joined =
      ArrayPieces::joined({ArrayPieces::runs({3, 5}, order, 4), ArrayPieces::runs({0, 5}, order, 4),
                           ArrayPieces::boxes({4, 5}, {3, 2})});
  EXPECT_EQ(parts_of(joined, {{1, 2}, {4, 2}}),
            (std::vector<PartBox>{{0, {{1, 2}, {2, 2}}}, {2, {{0, 2}, {2, 2}}}}));
  EXPECT_EQ(parts_of(joined, {{6, 0}, {1, 5}}), (std::vector<PartBox>{{2, {{3, 0}, {1, 5}}}}));
}

TEST(PieceBoxes, that_meet_a_box_have_its_elements) {
  const auto pieces = ArrayPieces::boxes({5, 7, 3}, {2, 3, 4});
  EXPECT_EQ(pieces_meeting(pieces, {{0, 0, 0}, {5, 7, 3}}),
            (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  const Box box{{1, 3, 1}, {2, 3, 2}};
  std::int64_t elements = 0;
  for (const std::int64_t piece : pieces_meeting(pieces, box)) {
    elements += common(pieces.box(piece), box).elements();
  }
  EXPECT_EQ(pieces_meeting(pieces, box), (std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(elements, box.elements());
  EXPECT_EQ(common(pieces.box(0), box).elements(), 0);
}

}  // namespace
}  // namespace tessera::plan
