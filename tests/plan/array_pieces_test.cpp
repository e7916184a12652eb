#include "plan/array_pieces.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tessera::plan {
namespace {

/// Every index of all pieces once; the number of them.
void expect_a_partition(const ArrayPieces& pieces) {
  std::set<std::int64_t> seen;
  std::int64_t elements = 0;
  std::int64_t before = -1;
  for (std::int64_t piece = 0; piece < pieces.count(); ++piece) {
    EXPECT_GT(pieces.elements(piece), 0);
    EXPECT_LE(pieces.elements(piece), pieces.max_elements());
    std::int64_t last = -1;
    for (std::int64_t e = 0; e < pieces.elements(piece); ++e) {
      const std::int64_t index = pieces.index(piece, e);
      if (pieces.in_order()) {
        EXPECT_GT(index, last);
      }
      if (pieces.is_consecutive()) {
        EXPECT_EQ(index, before + 1);
      }
      before = index;
      seen.insert(last = index);
      ++elements;
    }
  }
  EXPECT_EQ(elements, element_count(pieces.shape()));
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), elements);
  if (elements > 0) {
    EXPECT_EQ(*seen.rbegin(), elements - 1);
  }
}

TEST(ArrayPieces, HoldEveryElementOnce) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{17}, Shape{5, 7}, Shape{3, 1, 4}, Shape{0, 4},
                             Shape{2, 3, 4, 5}}) {
    for (const std::int64_t run : {1, 3, 1000}) {
      expect_a_partition(ArrayPieces::runs(shape, StorageOrder::last_dimension_fastest, run));
      expect_a_partition(ArrayPieces::runs(shape, StorageOrder::first_dimension_fastest, run));
    }
  }
  expect_a_partition(ArrayPieces::boxes({17}, {5}));
  expect_a_partition(ArrayPieces::boxes({5, 7}, {2, 3}));
  expect_a_partition(ArrayPieces::boxes({2, 3, 4}, {2, 2, 4}));
  expect_a_partition(ArrayPieces::boxes({0, 4}, {3, 3}));
}

TEST(ArrayPieces, InFortranOrderHaveTheIndexOfCOrder) {
  const auto pieces = ArrayPieces::runs({2, 3}, StorageOrder::first_dimension_fastest, 4);
  EXPECT_FALSE(pieces.in_order());
  std::vector<std::int64_t> indices;
  for (std::int64_t e = 0; e < 4; ++e) indices.push_back(pieces.index(0, e));
  EXPECT_EQ(indices, (std::vector<std::int64_t>{0, 3, 1, 4}));
  EXPECT_EQ(pieces.index(1, 1), 5);
}

TEST(ArrayPieces, AreConsecutiveOnlyIfTheyAreRunsInCOrder) {
  const auto rows = ArrayPieces::runs({4, 6}, StorageOrder::last_dimension_fastest, 5);
  const auto chunks = ArrayPieces::boxes({4, 6}, {2, 3});
  EXPECT_TRUE(rows.is_consecutive());
  EXPECT_TRUE(ArrayPieces::joined({rows, rows}).is_consecutive());
  EXPECT_FALSE(
      ArrayPieces::runs({4, 6}, StorageOrder::first_dimension_fastest, 5).is_consecutive());
  EXPECT_FALSE(chunks.is_consecutive());
  EXPECT_FALSE(ArrayPieces::joined({rows, chunks}).is_consecutive());
}

TEST(ArrayPieces, OfOneLongDimensionAreInOrderEitherWay) {
  EXPECT_TRUE(ArrayPieces::runs({1, 9}, StorageOrder::first_dimension_fastest, 4).in_order());
}

TEST(ArrayPieces, AtTheEndOfAGridAreSmaller) {
  const auto pieces = ArrayPieces::boxes({5, 7}, {2, 3});
  EXPECT_EQ(pieces.count(), 9);
  EXPECT_EQ(pieces.box(4), (Box{{2, 3}, {2, 3}}));
  EXPECT_EQ(pieces.box(8), (Box{{4, 6}, {1, 1}}));
  EXPECT_EQ(pieces.index(4, 4), 3 * 7 + 4);
  for (std::int64_t piece = 0; piece < pieces.count(); ++piece) {
    EXPECT_EQ(pieces.piece_at(pieces.box(piece).origin), piece);
  }
}

TEST(ArrayPieces, AreFoundByTheirBox) {
  const auto c_order = StorageOrder::last_dimension_fastest;
  const auto pieces = ArrayPieces::runs({7, 4}, c_order, 8);
  EXPECT_EQ(pieces.piece_of({{2, 0}, {2, 4}}, c_order), 1);
  EXPECT_EQ(pieces.piece_of({{6, 0}, {1, 4}}, c_order), 3);
  EXPECT_FALSE(pieces.piece_of({{1, 0}, {2, 4}}, c_order));
  EXPECT_FALSE(pieces.piece_of({{2, 0}, {1, 4}}, c_order));
  EXPECT_FALSE(pieces.piece_of({{0, 0}, {4, 2}}, c_order));
  const auto fortran = StorageOrder::first_dimension_fastest;
  EXPECT_EQ(ArrayPieces::runs({4, 7}, fortran, 8).piece_of({{0, 2}, {4, 2}}, fortran), 1);
  EXPECT_FALSE(ArrayPieces::runs({4, 4}, fortran, 8).piece_of({{0, 0}, {2, 4}}, c_order));
  const auto boxes = ArrayPieces::boxes({5, 7}, {2, 3});
  EXPECT_EQ(boxes.piece_of({{2, 3}, {2, 3}}, c_order), 4);
  EXPECT_EQ(boxes.piece_of({{4, 6}, {1, 1}}, c_order), 8);
  EXPECT_FALSE(boxes.piece_of({{2, 3}, {2, 2}}, c_order));
  EXPECT_FALSE(boxes.piece_of({{1, 3}, {2, 3}}, c_order));
  EXPECT_FALSE(boxes.piece_of({{2, 3}, {2, 3}}, fortran));
}

TEST(ArrayPieces, JoinedAreOneArrayAlongTheFirstDimension) {
  const auto order = StorageOrder::last_dimension_fastest;
  const auto joined =
      ArrayPieces::joined({ArrayPieces::runs({2, 3}, order, 4), ArrayPieces::runs({0, 3}, order, 4),
                           ArrayPieces::boxes({3, 3}, {2, 2})});
  EXPECT_EQ(joined.shape(), (Shape{5, 3}));
  EXPECT_EQ(joined.count(), 6);
  expect_a_partition(joined);
  EXPECT_EQ(joined.locate(1).part, 0U);
  EXPECT_EQ(joined.locate(2).part, 2U);
  EXPECT_EQ(joined.index(2, 0), 6);
  EXPECT_EQ(joined.part_rows(), (Shape{2, 0, 3}));
  EXPECT_EQ(joined.part_at(1), 0U);
  EXPECT_EQ(joined.part_at(2), 2U);
  EXPECT_EQ(joined.end_of_part(0), 2);
  EXPECT_EQ(joined.end_of_part(2), 6);
  EXPECT_EQ(joined.piece_of({{2, 2}, {2, 1}}, order), 3);
  EXPECT_FALSE(joined.piece_of({{1, 0}, {2, 2}}, order));
  const auto fortran =
      ArrayPieces::joined({ArrayPieces::runs({2, 3}, StorageOrder::first_dimension_fastest, 4),
                           ArrayPieces::runs({4, 3}, order, 5)});
  EXPECT_FALSE(fortran.in_order());
  expect_a_partition(fortran);
}

}  // namespace
}  // namespace tessera::plan
