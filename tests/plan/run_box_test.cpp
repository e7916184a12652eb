#include "plan/run_box.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tessera::plan {
namespace {

/// The boxes of the cells of a grid, in C order.
std::vector<std::int64_t> boxes_of_cells(const Shape& grid, const Shape& box) {
  std::vector<std::int64_t> found;
  for (std::int64_t cell = 0; cell < element_count(grid); ++cell) {
    std::int64_t rest = cell, number = 0, each = 1;
    for (std::size_t d = grid.size(); d-- > 0; rest /= grid[d]) {
      number += rest % grid[d] / box[d] * each;
      each *= (grid[d] + box[d] - 1) / box[d];
    }
    found.push_back(number);
  }
  return found;
}

TEST(RunBox, is_whole_dimensions_and_a_divisor) {
  EXPECT_EQ(run_box({10, 6, 4}, 100), (Shape{4, 6, 4}));
  EXPECT_EQ(run_box({10, 6, 4}, 13), (Shape{1, 3, 4}));
  EXPECT_EQ(run_box({10, 7, 4}, 20), (Shape{1, 1, 4}));
  EXPECT_EQ(run_box({1, 7, 4}, 20), (Shape{1, 5, 4})) << "of the first one any part will do";
  EXPECT_EQ(run_box({10, 6, 4}, 240), (Shape{10, 6, 4}));
  EXPECT_EQ(run_box({10, 6, 4}, 0), (Shape{1, 1, 1}));
  EXPECT_EQ(run_box({3, 0}, 5), (Shape{3, 1}));
  EXPECT_EQ(run_box({}, 5), Shape{});
}

TEST(RunBox, cuts_a_grid_into_runs_of_one_length) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    Shape grid;
    for (std::size_t d = 0; d < 1 + random() % 4; ++d) grid.push_back(1 + random() % 9);
    const auto most = static_cast<std::int64_t>(1 + random() % 40);
    const Shape box = run_box(grid, most);
    EXPECT_LE(element_count(box), most);
    const std::vector<std::int64_t> found = boxes_of_cells(grid, box);
    for (std::size_t cell = 0; cell < found.size(); ++cell) {
      ASSERT_EQ(found[cell], static_cast<std::int64_t>(cell) / element_count(box));
    }
  }
}

}  // namespace
}  // namespace tessera::plan
