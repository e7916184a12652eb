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
      for (const std::int64_t item :
           schedule.take(schedule.share_of(1 + static_cast<int>(random() % 6)))) {
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
    EXPECT_TRUE(schedule.take(schedule.share_of(4)).empty());
    EXPECT_DOUBLE_EQ(schedule.finished_share(), 1.0);
  }
}

TEST(Schedule, counts_the_done_parts_of_items_in_progress) {
  Schedule schedule({1, 8, 2, 4}, 1, Order::given);
  schedule.finish(0);
  EXPECT_DOUBLE_EQ(schedule.progress_share(), 1.0 / 15);
  schedule.set_started_cost(4);  // half of the second one
  EXPECT_DOUBLE_EQ(schedule.progress_share(), 5.0 / 15);
  EXPECT_DOUBLE_EQ(schedule.finished_share(), 1.0 / 15);
}

TEST(Schedule, gives_dear_items_before_cheap_ones) {
  Schedule schedule({1, 8, 2, 4}, 1, Order::dearest_first);
  std::vector<std::int64_t> order;
  while (!schedule.exhausted()) {
    for (const std::int64_t item : schedule.take(schedule.share_of(1))) order.push_back(item);
  }
  EXPECT_EQ(order, (std::vector<std::int64_t>{1, 3, 2, 0}));
}

TEST(Schedule, starts_with_large_helpings_and_ends_with_single_items) {
  Schedule schedule(std::vector<float>(1000, 1.0F), 4, Order::given);
  const auto first = schedule.take(schedule.share_of(2));
  EXPECT_EQ(first.size(), 125U);  // a quarter of the fair share of one rank in two
  std::size_t last = 0;
  while (!schedule.exhausted()) last = schedule.take(schedule.share_of(2)).size();
  EXPECT_EQ(last, 1U);
}

TEST(Schedule, a_helping_is_measured_in_cost_not_in_items) {
  std::vector<float> costs(100, 1.0F);
  costs[0] = 1000;
  Schedule schedule(costs, 2, Order::dearest_first);
  EXPECT_EQ(schedule.take(schedule.share_of(1)).size(), 1U);
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
    for (const std::int64_t item : schedule.take(schedule.share_of(1))) {
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
  for (auto items = schedule.take(schedule.share_of(1)); !items.empty();
       items = schedule.take(schedule.share_of(1))) {
    out.insert(out.end(), items.begin(), items.end());
  }
  EXPECT_EQ(out, (std::vector<std::int64_t>{0, 1, 2}));
  schedule.finish(1);
  EXPECT_TRUE(schedule.take(schedule.share_of(1)).empty());
  schedule.finish(0);
  EXPECT_EQ(schedule.take(schedule.share_of(1)).front(), 3);
}

TEST(Schedule, takes_no_more_than_the_most_but_one_item_at_least) {
  Schedule schedule(std::vector<float>(100, 2.0F), 1, Order::given);
  EXPECT_EQ(schedule.take(1, 7).size(), 3U);
  EXPECT_EQ(schedule.take(1, 0).size(), 1U);
}

TEST(Schedule, hands_out_1024_items_together_at_most) {
  for (const std::size_t helping : {1023U, 1024U, 1025U}) {  // a quarter of what is left
    Schedule schedule(std::vector<float>(4 * helping, 1.0F), 1, Order::given);
    EXPECT_EQ(schedule.take(1).size(), std::min<std::size_t>(helping, 1024));
  }
}

TEST(Schedule, hands_out_again_what_is_given_back_in_the_old_order) {
  for (const Order order : {Order::given, Order::dearest_first}) {
    Schedule schedule({1, 8, 2, 4, 4, 1}, 1, order);
    std::vector<std::int64_t> first;
    while (first.size() < 4) first.push_back(schedule.take(0).front());
    schedule.finish(first[1]);
    const double waiting = schedule.waiting_cost();
    // In two portions and not in order; one that is finished is not needed again.
    schedule.give_back(std::vector{first[3], first[1]});
    schedule.give_back(std::vector{first[2], first[0]});
    EXPECT_FALSE(schedule.exhausted());
    EXPECT_DOUBLE_EQ(
        schedule.waiting_cost(),
        waiting + schedule.cost(first[0]) + schedule.cost(first[2]) + schedule.cost(first[3]));
    std::vector<std::int64_t> again;
    while (!schedule.exhausted()) again.push_back(schedule.take(0).front());
    EXPECT_EQ(std::vector(again.begin(), again.begin() + 3),
              (std::vector{first[0], first[2], first[3]}));
    EXPECT_EQ(again.size(), 5U);
    for (const std::int64_t item : again) schedule.finish(item);
    EXPECT_TRUE(schedule.complete());
  }
}

TEST(Schedule, what_is_given_back_opens_the_window_again) {
  Schedule schedule(std::vector<float>(10, 1.0F), 1, Order::given, 3);
  for (int i = 0; i < 3; ++i) schedule.take(0);
  schedule.finish(1);
  EXPECT_FALSE(schedule.available());
  schedule.give_back(std::vector<std::int64_t>{0});
  ASSERT_TRUE(schedule.available());
  EXPECT_EQ(schedule.take(1), std::vector<std::int64_t>{0});
  EXPECT_FALSE(schedule.available());  // 3 is beyond the window until 0 is finished
  schedule.finish(0);
  EXPECT_EQ(schedule.take(0).front(), 3);
}

TEST(Schedule, loses_nothing_when_ranks_give_back_at_random) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const int n = std::uniform_int_distribution<int>(1, 200)(random);
    const int window = round % 2 == 0 ? std::uniform_int_distribution<int>(1, 9)(random) : 0;
    Schedule schedule(random_costs(random, n), 3, window > 0 ? Order::given : Order::dearest_first,
                      window);
    std::vector<std::int64_t> in_hand;
    while (!schedule.complete()) {
      const auto items = schedule.take(schedule.share_of(1));
      in_hand.insert(in_hand.end(), items.begin(), items.end());
      std::shuffle(in_hand.begin(), in_hand.end(), random);
      const auto end = in_hand.begin() + static_cast<std::ptrdiff_t>((in_hand.size() + 1) / 2);
      if (random() % 3 == 0) {
        schedule.give_back({in_hand.begin(), end});
      } else {
        for (auto item = in_hand.begin(); item != end; ++item) schedule.finish(*item);
      }
      in_hand.erase(in_hand.begin(), end);
    }
    EXPECT_TRUE(schedule.exhausted());
    EXPECT_NEAR(schedule.waiting_cost(), 0, 1e-6 * schedule.total_cost());
  }
}

TEST(Schedule, of_nothing_is_complete) {
  Schedule schedule({}, 2, Order::dearest_first);
  EXPECT_TRUE(schedule.complete());
  EXPECT_DOUBLE_EQ(schedule.finished_share(), 1.0);
}

}  // namespace
}  // namespace tessera::plan
