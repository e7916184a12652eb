#include "plan/cuts.hpp"

#include <gtest/gtest.h>

namespace tessera::plan {
namespace {

TEST(Cuts, AreEqualButForTheLast) {
  const Cuts cuts({10}, 4);
  EXPECT_EQ(cuts.count(), 3);
  EXPECT_EQ(cuts.longest(), 4);
  EXPECT_EQ(cuts.cut(0), (Cuts::Cut{0, 4}));
  EXPECT_EQ(cuts.cut(2), (Cuts::Cut{8, 2}));
}

TEST(Cuts, BeginAnewInEachStretch) {
  const Cuts cuts({5, 0, 3, 8}, 4);
  EXPECT_EQ(cuts.count(), 5);
  EXPECT_EQ(cuts.cut(1), (Cuts::Cut{4, 1}));
  EXPECT_EQ(cuts.cut(2), (Cuts::Cut{5, 3}));
  EXPECT_EQ(cuts.cut(3), (Cuts::Cut{8, 4}));
  EXPECT_EQ(cuts.cut(4), (Cuts::Cut{12, 4}));
}

TEST(Cuts, AreNoLongerThanTheirStretch) {
  EXPECT_EQ(Cuts({3, 2}, 100).longest(), 3);
  EXPECT_EQ(Cuts({0}, 4).count(), 0);
  EXPECT_EQ(Cuts({0}, 4).longest(), 0);
}

}  // namespace
}  // namespace tessera::plan
