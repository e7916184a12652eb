#include "plan/method_chooser.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace tessera::plan {
namespace {

using Costs = std::array<double, 2>;

/// How often each way is gone in `turns` turns.
std::array<int, 2> go(MethodChooser& ways, int turns, Costs costs) {
  std::array<int, 2> gone{};
  for (int i = 0; i < turns; ++i) {
    const std::size_t way = ways.next();
    ++gone.at(way);
    ways.took(way, costs.at(way));
  }
  return gone;
}

TEST(MethodChooser, TriesBothAndStaysWithTheFaster) {
  MethodChooser ways;
  EXPECT_EQ(ways.next(), 0U);
  EXPECT_GE(go(ways, 1000, {2, 1})[1], 960);
  MethodChooser others;
  EXPECT_GE(go(others, 1000, {1, 2})[0], 960);
}

TEST(MethodChooser, FindsOutWhenTheOtherHasBecomeFaster) {
  MethodChooser ways;
  go(ways, 100, {1, 2});
  EXPECT_GE(go(ways, 1000, {1, 0.5})[1], 900);
  EXPECT_GE(go(ways, 1000, {1, 2})[0], 900);
}

TEST(MethodChooser, IsNotMisledByOneDelay) {
  MethodChooser ways;
  go(ways, 10, {1, 2});
  ways.took(0, 1000);
  EXPECT_EQ(ways.next(), 0U);
}

TEST(MethodChooser, KeepsOffAClosedWay) {
  MethodChooser ways;
  constexpr double kClosed = std::numeric_limits<double>::infinity();
  EXPECT_GE(go(ways, 1000, {1, kClosed})[0], 960);
  EXPECT_GE(go(ways, 1000, {1, 1})[0], 1);  // and it may open again
  MethodChooser none;
  EXPECT_GE(go(none, 100, {kClosed, kClosed})[0], 90);
}

}  // namespace
}  // namespace tessera::plan
