#include "expression/region.hpp"

#include <gtest/gtest.h>

#include "expression/program.hpp"

namespace tessera::expression {
namespace {

TEST(Region, counts_in_the_whole_array) {
  const Region region{.shape = {4, 5}, .origin = {1, 2}, .extent = {2, 3}};
  std::vector<std::int64_t> values(6);
  region.fill(kFlat, 0, values);
  EXPECT_EQ(values, (std::vector<std::int64_t>{7, 8, 9, 12, 13, 14}));
  region.fill(0, 0, values);
  EXPECT_EQ(values, (std::vector<std::int64_t>{1, 1, 1, 2, 2, 2}));
  region.fill(1, 0, values);
  EXPECT_EQ(values, (std::vector<std::int64_t>{2, 3, 4, 2, 3, 4}));
  region.fill(5, 0, values);
  EXPECT_EQ(values, std::vector<std::int64_t>(6));
  values.resize(2);
  region.fill(kFlat, 2, values);
  EXPECT_EQ(values, (std::vector<std::int64_t>{9, 12}));
}

TEST(Region, counts_elements_in_fortran_order) {
  Region region{.shape = {2, 3}, .origin = {0, 0}, .extent = {2, 3}, .first_fastest = true};
  std::vector<std::int64_t> values(6);
  region.fill(kFlat, 0, values);
  EXPECT_EQ(values, (std::vector<std::int64_t>{0, 3, 1, 4, 2, 5}));
  region.first = 4;
  values.resize(2);
  region.fill(1, 0, values);
  EXPECT_EQ(values, (std::vector<std::int64_t>{2, 2}));
}

}  // namespace
}  // namespace tessera::expression
