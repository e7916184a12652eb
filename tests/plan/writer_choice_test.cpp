#include "plan/writer_choice.hpp"

#include <gtest/gtest.h>

namespace tessera::plan {
namespace {

TEST(WriterChoice, is_one_as_long_as_one_keeps_up) {
  EXPECT_EQ(auto_writers(10, 0.1, 64), 1);
  EXPECT_EQ(auto_writers(10, 5, 64), 1);
}

TEST(WriterChoice, has_more_writers_where_one_is_busy_for_more_than_half_of_the_time) {
  EXPECT_EQ(auto_writers(10, 5.1, 64), 2);
  EXPECT_EQ(auto_writers(10, 50, 64), 10);
}

TEST(WriterChoice, has_no_more_than_there_may_be) {
  EXPECT_EQ(auto_writers(10, 50, 3), 3);
  EXPECT_EQ(auto_writers(10, 50, 1), 1);
  EXPECT_EQ(auto_writers(10, 50, 0), 1);
  EXPECT_EQ(auto_writers(0, 50, 7), 7);
  EXPECT_EQ(auto_writers(0, 0, 7), 1);
}

TEST(WriterChoice, counts_the_bytes_of_a_tile_and_what_every_tile_takes) {
  EXPECT_DOUBLE_EQ(store_seconds(0, 1 << 20), kStoreSeconds);
  EXPECT_DOUBLE_EQ(store_seconds(1 << 20, 1 << 20), kStoreSeconds + 1);
}

}  // namespace
}  // namespace tessera::plan
