// Reference orbits that are kept, and sent to other ranks.
#include "explore/orbits.hpp"

#include <gtest/gtest.h>

namespace tessera::explore {
namespace {

deep::Place place(std::uint32_t iterations) {
  return {.center_re = "-0.1",
          .center_im = "0.1",
          .width = "1e-30",
          .size_px = {4096, 4096},
          .iterations = iterations};
}

std::shared_ptr<const deep::ReferenceOrbit> without_computing(Orbits& orbits,
                                                              const deep::Place& wanted) {
  return orbits.get(wanted, [](std::uint64_t) { ADD_FAILURE() << "it is computed"; });
}

TEST(Orbits, of_another_rank_need_not_be_computed) {
  Orbits gather(1 << 20);
  Orbits rank(1 << 20);
  EXPECT_FALSE(gather.find(place(5000)));
  const auto computed = gather.get(place(5000), {});
  const auto kept = gather.find(place(5000));
  ASSERT_TRUE(kept);
  rank.keep(*kept);
  const auto sent = without_computing(rank, place(5000));
  EXPECT_EQ(sent->re, computed->re);
  EXPECT_EQ(sent->im_low, computed->im_low);
}

TEST(Orbits, serve_shorter_ones) {
  Orbits orbits(1 << 20);
  // Its orbit approaches 1/2 without end.
  const auto slow = [](std::uint32_t iterations) {
    deep::Place one = place(iterations);
    one.center_re = "0.25";
    one.center_im = "0";
    return one;
  };
  orbits.get(slow(5000), {});
  EXPECT_EQ(without_computing(orbits, slow(3000))->length(), 3000);
  EXPECT_FALSE(orbits.find(slow(1'000'000)));
}

TEST(Orbits, with_a_cycle_serve_any_number_of_iterations) {
  Orbits orbits(1 << 20);
  const auto computed = orbits.get(place(5000), {});
  EXPECT_LT(computed->length(), 3000);
  EXPECT_EQ(without_computing(orbits, place(1'000'000)), computed) << "no copy";
}

TEST(Orbits, keep_the_one_used_last_and_others_as_far_as_there_is_room) {
  Orbits orbits(1);
  orbits.get(place(2000), {});
  EXPECT_TRUE(orbits.find(place(2000)));
  deep::Place other = place(2000);
  other.center_re = "-0.11";
  orbits.get(other, {});
  EXPECT_TRUE(orbits.find(other));
  EXPECT_FALSE(orbits.find(place(2000)));
}

}  // namespace
}  // namespace tessera::explore
