#include "plan/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace tessera::plan {
namespace {

std::vector<float> random_costs(std::mt19937& random, int n) {
  std::lognormal_distribution<float> cost(0, 2);
  std::vector<float> costs(static_cast<std::size_t>(n));
  for (float& c : costs) c = cost(random);
  return costs;
}

TEST(Schedule, hands_out_every_item_once_in_whatever_order_ranks_ask_and_finish) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const int n = std::uniform_int_distribution<int>(0, 200)(random);
    const int ranks = std::uniform_int_distribution<int>(1, 9)(random);
    const int window = round % 3 == 0 ? std::uniform_int_distribution<int>(1, 9)(random) : 0;
    const Order order = window > 0 || round % 2 == 0 ? Order::given : Order::dearest_first;
    Schedule schedule(random_costs(random, n), ranks * 3, order, window);
    std::multiset<std::int64_t> handed;
    std::vector<std::int64_t> in_hand;
    while (!schedule.complete()) {
      for (const std::int64_t item : schedule.take(1 + static_cast<int>(random() % 6))) {
        handed.insert(item);
        in_hand.push_back(item);
      }
      std::shuffle(in_hand.begin(), in_hand.end(), random);
      const std::size_t keep = in_hand.empty() ? 0 : random() % in_hand.size();
      while (in_hand.size() > keep) {
        schedule.finish(in_hand.back());
        schedule.finish(in_hand.back());  // once more changes nothing
        in_hand.pop_back();
      }
    }
    ASSERT_EQ(handed.size(), static_cast<std::size_t>(n));
    ASSERT_EQ(std::set(handed.begin(), handed.end()).size(), static_cast<std::size_t>(n));
    EXPECT_TRUE(schedule.exhausted());
    EXPECT_TRUE(schedule.take(4).empty());
    EXPECT_DOUBLE_EQ(schedule.finished_share(), 1.0);
  }
}

TEST(Schedule, gives_dear_items_before_cheap_ones) {
  Schedule schedule({1, 8, 2, 4}, 1, Order::dearest_first);
  std::vector<std::int64_t> order;
  while (!schedule.exhausted()) {
    for (const std::int64_t item : schedule.take(1)) order.push_back(item);
  }
  EXPECT_EQ(order, (std::vector<std::int64_t>{1, 3, 2, 0}));
}

TEST(Schedule, starts_with_large_helpings_and_ends_with_single_items) {
  Schedule schedule(std::vector<float>(1000, 1.0F), 4, Order::given);
  const auto first = schedule.take(2);
  EXPECT_EQ(first.size(), 125U);  // a quarter of the fair share of one rank in two
  std::size_t last = 0;
  while (!schedule.exhausted()) last = schedule.take(2).size();
  EXPECT_EQ(last, 1U);
}

TEST(Schedule, a_helping_is_measured_in_cost_not_in_items) {
  std::vector<float> costs(100, 1.0F);
  costs[0] = 1000;
  Schedule schedule(costs, 2, Order::dearest_first);
  EXPECT_EQ(schedule.take(1).size(), 1U);
}

TEST(Schedule, no_rank_waits_long_at_the_end) {
  // Simulated: ranks of unequal speed pull; the last to finish is at most one dear item behind.
  std::mt19937 random(3);
  const auto costs = random_costs(random, 5000);
  const std::vector<double> speeds = {1, 1, 2, 4};
  Schedule schedule(costs, 4, Order::dearest_first);
  std::vector<double> clock(speeds.size());
  while (!schedule.exhausted()) {
    const auto rank =
        static_cast<std::size_t>(std::min_element(clock.begin(), clock.end()) - clock.begin());
    for (const std::int64_t item : schedule.take(1)) {
      clock[rank] += costs[static_cast<std::size_t>(item)] / speeds[rank];
    }
  }
  const double ideal = schedule.total_cost() / 8;
  const double dearest = *std::max_element(costs.begin(), costs.end());
  EXPECT_LE(*std::max_element(clock.begin(), clock.end()), 1.05 * ideal + dearest);
}

TEST(Schedule, keeps_to_the_window_in_front_of_the_first_unfinished_item) {
  Schedule schedule(std::vector<float>(10, 1.0F), 1, Order::given, 3);
  std::vector<std::int64_t> out;
  for (auto items = schedule.take(1); !items.empty(); items = schedule.take(1)) {
    out.insert(out.end(), items.begin(), items.end());
  }
  EXPECT_EQ(out, (std::vector<std::int64_t>{0, 1, 2}));
  schedule.finish(1);
  EXPECT_TRUE(schedule.take(1).empty());
  schedule.finish(0);
  EXPECT_EQ(schedule.take(1).front(), 3);
}

TEST(Schedule, of_nothing_is_complete) {
  Schedule schedule({}, 2, Order::dearest_first);
  EXPECT_TRUE(schedule.complete());
  EXPECT_DOUBLE_EQ(schedule.finished_share(), 1.0);
}

}  // namespace
}  // namespace tessera::plan
