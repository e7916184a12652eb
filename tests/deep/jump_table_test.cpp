// Jumps keep away from the bailout.
#include "deep/jump_table.hpp"

#include <gtest/gtest.h>

namespace tessera::deep {
namespace {

/// An orbit with one element of this size among harmless ones.
ReferenceOrbit orbit_past(double re, double re_low) {
  ReferenceOrbit orbit;
  for (const double x : {0.0, -0.3, -0.2, re, 1.7, 1.5, 1.4, 1.3, 1.2, 1.1, 1.0, 0.9}) {
    orbit.re.push_back(x);
    orbit.re_low.push_back(x == re ? re_low : 0);
    orbit.im.push_back(0);
    orbit.im_low.push_back(0);
  }
  orbit.tiny.push_back({0, {}});
  return orbit;
}

/// Whether a jump of the table passes element 3.
bool passes(const ReferenceOrbit& orbit) {
  const JumpTable table = build_table(orbit, {.unit_exponent = -2000});
  for (std::size_t m = 0; m < 3; ++m) {
    const kernels::TsJumpNode& node = table.nodes[m];
    for (std::uint32_t i = 0; i < kernels::ts_levels(node.levels_and_error); ++i) {
      if (m + table.entries[node.first + i].length > 3) return true;
    }
  }
  for (const auto& node : table.scaled_nodes) {
    for (std::uint32_t i = 0; node.m < 3 && i < node.levels; ++i) {
      if (node.m + table.scaled_entries[node.first + i].length > 3) return true;
    }
  }
  return false;
}

TEST(Jumps, pass_elements_within_the_radius) {
  EXPECT_TRUE(passes(orbit_past(1.9, 0)));
  EXPECT_TRUE(passes(orbit_past(2 - 0x1p-40, 0)));
}

TEST(Jumps, do_not_pass_elements_that_rounding_may_have_moved_inside) {
  EXPECT_FALSE(passes(orbit_past(2 - 0x1p-52, 0x1p-53)));
  EXPECT_FALSE(passes(orbit_past(2 - 0x1p-52, 0)));
  EXPECT_FALSE(passes(orbit_past(2, 0)));
}

}  // namespace
}  // namespace tessera::deep
