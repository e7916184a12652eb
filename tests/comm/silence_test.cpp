#include "comm/silence.hpp"

#include <gtest/gtest.h>

namespace tessera::comm {
namespace {

TEST(TimeSinceHeard, grows_until_a_rank_is_heard) {
  TimeSinceHeard silence(3);
  for (const double now : {5.0, 6.0, 7.0}) silence.pass(now, 1);
  silence.heard(2);
  silence.pass(8, 1);
  EXPECT_DOUBLE_EQ(silence.of(1), 3);
  EXPECT_DOUBLE_EQ(silence.of(2), 1);
}

TEST(TimeSinceHeard, of_others_does_not_grow_while_this_process_was_stopped) {
  TimeSinceHeard silence(2);
  silence.pass(0, 1);
  silence.pass(1000, 1);
  EXPECT_DOUBLE_EQ(silence.of(1), 2);
}

}  // namespace
}  // namespace tessera::comm
