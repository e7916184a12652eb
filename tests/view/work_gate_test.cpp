#include "view/http/work_gate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace tessera::view {
namespace {

int gate_status(const std::function<void()>& call) {
  try {
    call();
  } catch (const HttpError& error) {
    return error.status();
  }
  return 200;
}

TEST(WorkGate, refuses_when_too_many_wait) {
  WorkGate gate(1, 0);
  const WorkGate::Pass first(gate);
  EXPECT_EQ(gate_status([&] { const WorkGate::Pass second(gate); }), 429);
}

TEST(WorkGate, a_request_without_a_client_leaves_the_others) {
  WorkGate gate(1, 2);
  base::StopToken gone;
  std::atomic<int> left = 0, turns = 0;
  std::vector<std::thread> threads;
  {
    const WorkGate::Pass first(gate);
    threads.emplace_back(
        [&] { left = gate_status([&] { const WorkGate::Pass pass(gate, &gone); }); });
    while (gate.waiting() < 1) std::this_thread::yield();
    threads.emplace_back([&] {
      const WorkGate::Pass pass(gate);
      ++turns;
    });
    while (gate.waiting() < 2) std::this_thread::yield();
    gone.request("a test");
    while (gate.waiting() > 1) std::this_thread::yield();
    EXPECT_EQ(turns, 0);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(left, 503);
  EXPECT_EQ(turns, 1);
}

TEST(WorkGate, lets_others_work_when_one_has_finished) {
  WorkGate gate(2, 100);
  std::atomic<int> working = 0, most = 0, done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] {
      const WorkGate::Pass pass(gate);
      const int now = ++working;
      int seen = most;
      while (seen < now && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::yield();
      --working;
      ++done;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 20);
  EXPECT_LE(most, 2);
}

TEST(WorkGate, lets_threads_work_in_the_order_in_which_they_came) {
  WorkGate gate(1, 100);
  std::vector<int> order;  // guarded by the gate
  std::vector<std::thread> threads;
  {
    const WorkGate::Pass first(gate);
    for (int i = 0; i < 20; ++i) {
      threads.emplace_back([&, i] {
        const WorkGate::Pass pass(gate);
        order.push_back(i);
      });
      while (gate.waiting() <= i) std::this_thread::yield();
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(order.size(), threads.size());
}

}  // namespace
}  // namespace tessera::view
