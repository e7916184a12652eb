#include "plan/axis_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace tessera::plan {
namespace {

constexpr auto kC = StorageOrder::last_dimension_fastest;
constexpr auto kFortran = StorageOrder::first_dimension_fastest;

/// Offset in memory, in that order, of an element of a box.
std::int64_t offset_in(const Shape& inside, const Shape& extent, StorageOrder order) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const std::size_t d = order == kC ? i : inside.size() - 1 - i;
    offset = offset * extent[d] + inside[d];
  }
  return offset;
}

/// Output and index, by the levels, of the element at an offset of a piece.
std::pair<std::int64_t, std::int64_t> by_levels(const AxisPiece& piece, std::int64_t offset) {
  std::int64_t output = 0;
  std::int64_t index = piece.first_index;
  for (std::size_t l = piece.levels.size(); l-- > 0;) {
    const AxisLevel& level = piece.levels[l];
    output += offset % level.extent * level.output_step;
    index += offset % level.extent * level.index_step;
    offset /= level.extent;
  }
  return {output, index};
}

/// Walks over every element of every piece of a plan.
void expect_every_element_once(const Shape& shape, const std::vector<bool>& reduced,
                               const Shape& extents, StorageOrder order, const Shape& rows = {}) {
  const AxisPlan plan(shape, reduced, extents, order, rows);
  std::map<Shape, std::set<std::int64_t>> indices;  // by coordinates of the output
  for (std::int64_t t = 0; t < plan.tiles(); ++t) {
    const Box tile = plan.tile(t);
    EXPECT_LE(tile.elements(), plan.max_outputs());
    for (std::int64_t p = 0; p < plan.pieces_each(); ++p) {
      const AxisPiece piece = plan.piece(t, p);
      EXPECT_LE(piece.box.elements(), plan.max_elements());
      for (std::int64_t e = 0; e < piece.box.elements(); ++e) {
        std::int64_t rest = e;
        Shape inside(shape.size());
        for (std::size_t d = shape.size(); d-- > 0;) {
          inside[d] = rest % piece.box.extent[d];
          rest /= piece.box.extent[d];
        }
        Shape output, in_tile;
        std::int64_t index = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
          const std::int64_t at = piece.box.origin[d] + inside[d];
          if (reduced[d]) {
            index = index * shape[d] + at;
          } else {
            output.push_back(at);
            in_tile.push_back(inside[d]);
          }
        }
        const auto [by_level, index_by_level] =
            by_levels(piece, offset_in(inside, piece.box.extent, order));
        ASSERT_EQ(by_level, offset_in(in_tile, tile.extent, order));
        ASSERT_EQ(index_by_level, index);
        indices[output].insert(index);
      }
    }
  }
  EXPECT_EQ(static_cast<std::int64_t>(indices.size()), plan.output_count());
  for (const auto& [output, seen] : indices) {
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), plan.elements_each());
    EXPECT_EQ(*seen.rbegin() + 1, plan.elements_each());
  }
}

TEST(AxisPlan, GivesEveryElementToItsOutputOnce) {
  for (const Shape& shape : {Shape{7}, Shape{5, 6}, Shape{4, 1, 5}, Shape{3, 4, 2, 5}}) {
    for (unsigned axes = 0; axes < 1U << shape.size(); ++axes) {
      std::vector<bool> reduced;
      for (std::size_t d = 0; d < shape.size(); ++d) reduced.push_back((axes >> d & 1) != 0);
      for (const auto order : {kC, kFortran}) {
        for (const std::int64_t elements : {1, 4, 13, 1000}) {
          expect_every_element_once(shape, reduced,
                                    piece_of_axes(shape, reduced, order, elements, 3), order);
        }
        expect_every_element_once(shape, reduced, Shape(shape.size(), 2), order);
      }
    }
  }
}

TEST(AxisPlan, CutsEachOfSeveralArraysFromItsBeginning) {
  for (const std::vector<bool>& reduced :
       {std::vector{true, false}, {false, true}, {true, true}, {false, false}}) {
    for (const Shape& rows : {Shape{4, 0, 3, 1, 4}, Shape{12}, Shape{1, 11}}) {
      expect_every_element_once({12, 5}, reduced, {2, 3}, kC, rows);
      expect_every_element_once({12, 5}, reduced, {3, 5}, kC, rows);
    }
  }
  const AxisPlan plan({7, 5}, {true, false}, {3, 5}, kC, {4, 3});
  EXPECT_EQ(plan.pieces_each(), 3);
  EXPECT_EQ(plan.piece(0, 1).box, (Box{{3, 0}, {1, 5}}));
  EXPECT_EQ(plan.piece(0, 2).box, (Box{{4, 0}, {3, 5}}));
  EXPECT_EQ(plan.piece(0, 2).first_index, 4);
}

TEST(AxisPlan, CutsAlongWhatLiesTogether) {
  EXPECT_EQ(piece_of_axes({100000, 8192}, {true, false}, kC, 131072, 8192), (Shape{16, 8192}));
  EXPECT_EQ(piece_of_axes({100000, 1000000}, {true, false}, kC, 131072, 8192), (Shape{16, 8192}));
  EXPECT_EQ(piece_of_axes({100000, 16}, {false, true}, kC, 131072, 8192), (Shape{8192, 16}));
  EXPECT_EQ(piece_of_axes({100, 1000000}, {false, true}, kC, 131072, 8192), (Shape{1, 131072}));
  EXPECT_EQ(piece_of_axes({1000, 8192}, {false, true}, kFortran, 131072, 8192), (Shape{1000, 131}));
  EXPECT_EQ(piece_of_axes({4, 0}, {false, true}, kC, 131072, 8192), (Shape{4, 1}));
}

TEST(AxisPlan, JoinsDimensionsThatAreOne) {
  const AxisPlan plan({4, 5, 6, 7}, {true, true, false, false}, {4, 5, 6, 7}, kC);
  EXPECT_EQ(plan.piece(0, 0).levels,
            (std::vector<AxisLevel>{{.extent = 20, .reduced = true, .index_step = 1},
                                    {.extent = 42, .output_step = 1}}));
}

TEST(AxisPlan, OfNoElements) {
  const AxisPlan none_each({4, 0}, {false, true}, {4, 1}, kC);
  EXPECT_EQ(none_each.tiles(), 1);
  EXPECT_EQ(none_each.pieces_each(), 0);
  EXPECT_EQ(none_each.elements_each(), 0);
  const AxisPlan no_outputs({4, 0}, {true, false}, {4, 1}, kC);
  EXPECT_EQ(no_outputs.tiles(), 0);
}

/// How often each piece of each tile is in an item.
void expect_every_piece_once(const AxisPlan& plan, const AxisItems& items) {
  std::map<std::pair<std::int64_t, std::int64_t>, int> seen;
  for (std::int64_t i = 0; i < items.count(); ++i) {
    const AxisItems::Item item = items.item(i);
    for (auto t = item.first_tile; t < item.end_tile; ++t) {
      for (auto p = item.first_piece; p < item.end_piece; ++p) ++seen[{t, p}];
    }
  }
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), plan.tiles() * plan.pieces_each());
  for (const auto& [piece, times] : seen) EXPECT_EQ(times, 1);
}

constexpr std::int64_t kAny = std::int64_t{1} << 40;

TEST(AxisItems, HaveEveryPieceOnce) {
  for (const std::int64_t wanted : {1, 3, 50}) {
    for (const std::int64_t elements : {1, 100, 100000}) {
      const AxisPlan many({3000, 7}, {false, true}, {16, 7}, kC);
      expect_every_piece_once(many, AxisItems(many, elements, kAny, wanted));
      const AxisPlan tall({40000, 7}, {true, false}, {16, 7}, kC);
      expect_every_piece_once(tall, AxisItems(tall, elements, kAny, wanted));
    }
  }
}

TEST(AxisItems, ShareATileThatIsTooLarge) {
  const AxisPlan wide({40000, 700}, {true, false}, {16, 7}, kC);
  EXPECT_EQ(AxisItems(wide, 1000, kAny, 1).shares(), 1);
  const AxisItems bounded(wide, 1000, 100000, 1);
  EXPECT_EQ(bounded.shares(), 3);  // of 280000 elements
  EXPECT_EQ(bounded.groups(), 100);
  EXPECT_EQ(bounded.group(299), 99);
  expect_every_piece_once(wide, bounded);
}

TEST(AxisItems, AreTheSameFromTheirCut) {
  const AxisPlan many({3000, 7}, {false, true}, {16, 7}, kC);
  const AxisPlan tall({40000, 7}, {true, false}, {16, 7}, kC);
  for (const AxisPlan& plan : {many, tall}) {
    const AxisItems first(plan, 1000, kAny, 8);
    const AxisItems again(plan, first.cut());
    ASSERT_EQ(again.count(), first.count());
    for (std::int64_t i = 0; i < first.count(); ++i) {
      EXPECT_EQ(again.item(i).first_tile, first.item(i).first_tile);
      EXPECT_EQ(again.item(i).end_tile, first.item(i).end_tile);
      EXPECT_EQ(again.item(i).first_piece, first.item(i).first_piece);
      EXPECT_EQ(again.item(i).end_piece, first.item(i).end_piece);
    }
  }
}

TEST(AxisItems, ShareATileWhereThereAreFew) {
  const AxisPlan tall({40000, 7}, {true, false}, {16, 7}, kC);
  EXPECT_EQ(AxisItems(tall, 1000, kAny, 8).shares(), 8);
  EXPECT_EQ(AxisItems(tall, 1000, kAny, 1000).shares(), 40000 / AxisItems::kMinEach);
  EXPECT_EQ(AxisItems(tall, 1000, kAny, 1).shares(), 1);
}

}  // namespace
}  // namespace tessera::plan
