#include "base/bounded_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tessera::base {
namespace {

TEST(BoundedQueue, hands_on_everything_in_order_and_never_exceeds_its_capacity) {
  BoundedQueue<int> queue(10);
  std::atomic<int> held = 0;
  std::atomic<int> most = 0;
  std::jthread producer([&] {
    for (int i = 0; i < 2000; ++i) {
      ASSERT_TRUE(queue.push(i, 3));
      const int now = ++held;
      if (now > most) most = now;
    }
    queue.close();
  });
  int next = 0;
  while (const auto item = queue.pop()) {
    --held;
    EXPECT_EQ(*item, next++);
  }
  EXPECT_EQ(next, 2000);
  EXPECT_LE(most, 4);  // three of weight 3, and one between push() and the count above
}

TEST(BoundedQueue, lets_an_item_heavier_than_itself_pass_alone) {
  BoundedQueue<int> queue(10);
  EXPECT_TRUE(queue.push(1, 100));
  EXPECT_TRUE(queue.full());
  std::jthread late([&] { queue.push(2, 1); });
  EXPECT_EQ(*queue.pop(), 1);
  EXPECT_EQ(*queue.pop(), 2);
}

TEST(BoundedQueue, refuses_pushes_and_wakes_everybody_once_abandoned) {
  BoundedQueue<int> queue(1);
  queue.push(1, 1);
  std::atomic<bool> pushed = true;
  std::jthread blocked([&] { pushed = queue.push(2, 1); });
  queue.abandon();
  blocked.join();
  EXPECT_FALSE(pushed);
  EXPECT_FALSE(queue.pop());
}

}  // namespace
}  // namespace tessera::base
