#include "view/allowance.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace tessera::view {
namespace {

using std::chrono::seconds;
using Clock = Allowance::Clock;

constexpr ThreadTime kStart{.running = 1, .waiting = 1};

ThreadTime later_by(double running, double waiting) {
  return {.running = kStart.running + running, .waiting = kStart.waiting + waiting};
}

TEST(Allowance, IdleCoresCostNothing) {
  Allowance allowance(2);
  const auto now = Clock::now();
  allowance.take(kStart, later_by(0.1, 0.001), now);
  EXPECT_EQ(allowance.pause(now), Clock::duration::zero());
}

TEST(Allowance, WorkIsOnePercentOfBusyCores) {
  Allowance allowance(2);
  const auto now = Clock::now();
  allowance.take(kStart, later_by(0.1, 0.1), now);
  EXPECT_EQ(allowance.pause(now), seconds(5));
  EXPECT_EQ(allowance.pause(now + seconds(4)), seconds(1));
  EXPECT_EQ(allowance.pause(now + seconds(6)), Clock::duration::zero());
}

TEST(Allowance, WorkOfAllThreadsAddsUp) {
  Allowance allowance(4);
  const auto now = Clock::now();
  allowance.take(kStart, later_by(0.1, 0.1), now);
  allowance.take(kStart, later_by(0.1, 0.1), now);
  EXPECT_EQ(allowance.pause(now), seconds(5));
}

TEST(Allowance, TheLastWorkSaysWhetherTheCoresAreBusy) {
  Allowance allowance(1);
  const auto now = Clock::now();
  allowance.take(kStart, later_by(0.1, 0.1), now);
  allowance.take(kStart, later_by(0.02, 0), now);
  EXPECT_EQ(allowance.pause(now), Clock::duration::zero());
  allowance.take(kStart, later_by(0.02, 0.02), now);
  EXPECT_GT(allowance.pause(now), seconds(1));
}

TEST(Allowance, AThreadThatWorksRuns) {
  const ThreadTime before = thread_time();
  const auto end = Clock::now() + seconds(10);
  while (thread_time().running < before.running + 0.01 && Clock::now() < end) continue;
  EXPECT_GE(thread_time().running, before.running + 0.01);
  EXPECT_GE(thread_time().waiting, before.waiting);
}

}  // namespace
}  // namespace tessera::view
