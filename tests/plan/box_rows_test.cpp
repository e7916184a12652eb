#include "plan/box_rows.hpp"

#include <gtest/gtest.h>

#include "box_elements.hpp"

namespace tessera::plan {
namespace {

/// The elements of the box in the order in which the rows have them.
std::vector<std::int64_t> by_rows(const Shape& shape, const Box& box) {
  const BoxRows rows(shape, box);
  std::vector<std::int64_t> elements;
  for (std::int64_t group = 0; group < rows.groups(); ++group) {
    for (std::int64_t r = 0; r < rows.rows(); ++r) {
      const std::int64_t first = rows.first(group) + r * rows.stride();
      for (std::int64_t i = 0; i < rows.row(); ++i) elements.push_back(first + i);
    }
  }
  return elements;
}

TEST(BoxRows, HaveTheElementsOfTheBoxInOrder) {
  const Shape shape = {4, 3, 5, 6};
  for (const Box& box : {Box{{0, 0, 0, 0}, {4, 3, 5, 6}}, Box{{1, 0, 0, 0}, {2, 3, 5, 6}},
                         Box{{1, 1, 0, 0}, {2, 2, 5, 6}}, Box{{0, 1, 2, 3}, {4, 2, 3, 3}},
                         Box{{0, 0, 2, 0}, {4, 3, 2, 6}}, Box{{0, 0, 0, 5}, {4, 3, 5, 1}},
                         Box{{3, 2, 4, 5}, {1, 1, 1, 1}}, Box{{0, 1, 0, 2}, {4, 1, 5, 2}}}) {
    EXPECT_EQ(by_rows(shape, box), elements_of_box(shape, box));
  }
  EXPECT_EQ(by_rows({}, {}), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(by_rows({7}, {{2}, {3}}), (std::vector<std::int64_t>{2, 3, 4}));
}

TEST(BoxRows, AreAsLongAsTheyCanBe) {
  EXPECT_EQ(BoxRows({4, 3, 5}, {{1, 0, 0}, {2, 3, 5}}).row(), 30);
  const BoxRows rows({4, 3, 5}, {{0, 0, 1}, {4, 3, 2}});
  EXPECT_EQ(rows.row(), 2);
  EXPECT_EQ(rows.rows(), 12);
  EXPECT_EQ(rows.stride(), 5);
  EXPECT_EQ(rows.groups(), 1);
}

}  // namespace
}  // namespace tessera::plan
