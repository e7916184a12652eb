#include "base/stop_token.hpp"

#include <gtest/gtest.h>

namespace tessera::base {
namespace {

TEST(StopToken, keeps_the_first_reason) {
  StopToken stop;
  EXPECT_FALSE(stop.requested());
  EXPECT_EQ(stop.reason(), "");
  EXPECT_TRUE(stop.request("SIGTERM"));
  EXPECT_FALSE(stop.request("--max-seconds"));
  EXPECT_TRUE(stop.requested());
  EXPECT_EQ(stop.reason(), "SIGTERM");
}

TEST(StopToken, of_a_part_is_requested_with_that_of_the_run) {
  StopToken run;
  const StopToken part(&run);
  EXPECT_FALSE(part.requested());
  EXPECT_EQ(part.reason(), "");
  run.request("SIGTERM");
  EXPECT_TRUE(part.requested());
  EXPECT_EQ(part.reason(), "SIGTERM");
}

TEST(StopToken, of_a_part_does_not_stop_the_run) {
  StopToken run;
  StopToken part(&run);
  EXPECT_TRUE(part.request("another run"));
  EXPECT_EQ(part.reason(), "another run");
  EXPECT_FALSE(run.requested());
}

}  // namespace
}  // namespace tessera::base
