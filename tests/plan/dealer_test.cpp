#include "plan/dealer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <random>

namespace tessera::plan {
namespace {

std::vector<float> random_costs(int n, double sigma) {
  std::mt19937 random(1);
  std::lognormal_distribution<float> cost(0, static_cast<float>(sigma));
  std::vector<float> costs(static_cast<std::size_t>(n));
  for (float& c : costs) c = cost(random);
  return costs;
}

/// A rank whose lanes work on one item after the other together, as they do near the end.
struct SimulatedRank {
  double speed = 1;
  int lanes = 1;
  double dies_s = 1e300;   ///< its device fails then
  double stops_s = 1e300;  ///< it says nothing more from then on
  std::deque<std::int64_t> items;
  double busy_until_s = 0;
  bool retired = false;
};

/// Returns what a rank has not begun, if that is asked for.
void return_recalled(Dealer& dealer, std::vector<SimulatedRank>& ranks, double now_s) {
  for (const int number : dealer.take_recalls()) {
    SimulatedRank& rank = ranks[static_cast<std::size_t>(number)];
    if (now_s >= rank.stops_s || rank.items.empty()) continue;
    const std::vector<std::int64_t> items(rank.items.begin() + 1, rank.items.end());
    rank.items.resize(1);
    dealer.end_recall(number, items, now_s);
  }
}

/// Runs ranks in simulated time, a look every `tick_s`; returns when the last item was finished.
double run(Dealer& dealer, Schedule& schedule, std::vector<SimulatedRank>& ranks, double tick_s,
           double max_s = 1e6) {
  double now_s = 0;
  for (; !schedule.complete() && now_s < max_s; now_s += tick_s) {
    for (int number = 0; number < static_cast<int>(ranks.size()); ++number) {
      SimulatedRank& rank = ranks[static_cast<std::size_t>(number)];
      if (now_s >= rank.stops_s || rank.retired) continue;
      if (now_s >= rank.dies_s) {
        dealer.give_back(number, std::vector(rank.items.begin(), rank.items.end()), now_s);
        dealer.retire(number);
        rank.retired = true;
        continue;
      }
      while (!rank.items.empty() && rank.busy_until_s <= now_s) {
        const std::int64_t item = rank.items.front();
        rank.items.pop_front();
        schedule.finish(item);
        dealer.finish(number, item, now_s);
        if (!rank.items.empty())
          rank.busy_until_s += schedule.cost(rank.items.front()) / rank.speed;
      }
      if (rank.items.size() >= 2 * static_cast<std::size_t>(rank.lanes)) continue;
      const bool idle = rank.items.empty();
      for (const std::int64_t item : dealer.deal(number, rank.lanes, now_s)) {
        rank.items.push_back(item);
      }
      if (idle && !rank.items.empty()) {
        rank.busy_until_s = now_s + schedule.cost(rank.items.front()) / rank.speed;
      }
    }
    return_recalled(dealer, ranks, now_s);
  }
  return now_s;
}

double ideal_s(const Schedule& schedule, const std::vector<SimulatedRank>& ranks) {
  double speed = 0;
  for (const SimulatedRank& rank : ranks) speed += rank.speed;
  return schedule.total_cost() / speed;
}

TEST(Dealer, slow_ranks_do_not_hold_the_end) {
  for (const double sigma : {0.0, 1.0}) {
    for (const int items : {60, 1000, 20'000}) {
      for (const int lanes : {1, 8}) {
        Schedule schedule(random_costs(items, sigma), 3 * lanes, Order::dearest_first);
        std::vector<SimulatedRank> ranks = {{100, lanes}, {1, lanes}, {1, lanes}};
        Dealer dealer(schedule, 3);
        const double ideal = ideal_s(schedule, ranks);
        const double took = run(dealer, schedule, ranks, ideal / 5000);
        // Before it is measured a slow rank cannot be told from a fast one: what it begins with,
        // one of the dearest items for each lane, it must finish.
        auto costs = random_costs(items, sigma);
        std::ranges::sort(costs, std::greater<>());
        const double measured = std::accumulate(costs.begin(), costs.begin() + lanes, 0.0);
        EXPECT_LE(took, std::max(1.1 * ideal, 1.05 * measured))
            << items << " items on " << lanes << " lanes, ideal " << ideal;
      }
    }
  }
}

TEST(Dealer, equal_ranks_are_all_busy_to_the_end) {
  Schedule schedule(random_costs(2000, 1), 8, Order::dearest_first);
  std::vector<SimulatedRank> ranks(4, SimulatedRank{.speed = 1, .lanes = 2});
  Dealer dealer(schedule, 4);
  const double ideal = ideal_s(schedule, ranks);
  EXPECT_LE(run(dealer, schedule, ranks, ideal / 5000), 1.03 * ideal);
}

TEST(Dealer, the_few_items_of_many_equal_ranks_are_not_held_back) {
  Schedule schedule(std::vector<float>(11, 1.0F), 10, Order::dearest_first);
  std::vector<SimulatedRank> ranks(10);
  Dealer dealer(schedule, 10);
  EXPECT_LE(run(dealer, schedule, ranks, 0.01), 2.1);
}

TEST(Dealer, helpings_follow_the_measured_speed_and_not_the_lanes) {
  Schedule schedule(std::vector<float>(10'000, 1.0F), 4, Order::given);
  Dealer dealer(schedule, 2);
  const auto fast = dealer.deal(0, 2, 0);
  const auto slow = dealer.deal(1, 2, 0);
  ASSERT_EQ(fast.size(), 78U);
  for (const std::int64_t item : fast) dealer.finish(0, item, 1);
  for (std::size_t i = 0; i < 2; ++i) dealer.finish(1, slow[i], 1);
  const double left = schedule.waiting_cost();
  EXPECT_NEAR(static_cast<double>(dealer.deal(1, 2, 1).size()), left * 2 / 80 / 4, 1);
  EXPECT_EQ(dealer.deal(0, 2, 1).size(), 1024U);  // the most that there is at once
}

TEST(Dealer, until_it_is_measured_a_rank_gets_little) {
  Schedule schedule(std::vector<float>(6400, 1.0F), 8, Order::given);
  Dealer dealer(schedule, 2);
  EXPECT_EQ(dealer.deal(0, 4, 0).size(), 50U);  // 1/64 of its half
  EXPECT_TRUE(dealer.deal(0, 4, 0).empty());
  Schedule few(std::vector<float>(100, 1.0F), 8, Order::given);
  Dealer other(few, 2);
  EXPECT_EQ(other.deal(0, 4, 0).size(), 4U);  // one for each lane
  EXPECT_TRUE(other.deal(0, 4, 0).empty());
}

TEST(Dealer, a_rank_alone_gets_its_share_at_once) {
  Schedule schedule(std::vector<float>(400, 1.0F), 4, Order::given);
  Dealer dealer(schedule, 1);
  EXPECT_EQ(dealer.deal(0, 4, 0).size(), 100U);
}

TEST(Dealer, a_slow_rank_takes_over_when_the_fast_ones_retire) {
  Schedule schedule(random_costs(300, 0), 3, Order::dearest_first);
  std::vector<SimulatedRank> ranks = {
      {.speed = 100, .dies_s = 1}, {.speed = 1}, {.speed = 1, .dies_s = 2}};
  Dealer dealer(schedule, 3);
  run(dealer, schedule, ranks, 0.01);
  EXPECT_TRUE(schedule.complete());
  EXPECT_EQ(dealer.alive(), 1);
}

TEST(Dealer, a_slow_rank_takes_over_when_the_fast_one_hangs_with_nothing_in_hand) {
  Schedule schedule(std::vector<float>(3, 1.0F), 2, Order::given);
  Dealer dealer(schedule, 2);
  dealer.finish(0, dealer.deal(0, 1, 0).front(), 0.01);  // and is never heard of again
  const auto first = dealer.deal(1, 1, 0);
  dealer.finish(1, first.front(), 10);
  EXPECT_TRUE(dealer.deal(1, 1, 10).empty());
  EXPECT_TRUE(dealer.deal(1, 1, 15).empty());
  EXPECT_EQ(dealer.deal(1, 1, 20.1).size(), 1U);
}

TEST(Dealer, what_a_rank_stands_still_with_is_done_by_others_in_the_end) {
  for (const std::int64_t window : {0, 3}) {
    Schedule schedule(std::vector<float>(40, 1.0F), 2, Order::given, window);
    std::vector<SimulatedRank> ranks = {{.speed = 100, .stops_s = 0.005}, {.speed = 1}};
    Dealer dealer(schedule, 2);
    run(dealer, schedule, ranks, 0.001, 200);
    EXPECT_GT(ranks[0].items.size(), 0U);
    EXPECT_TRUE(schedule.complete());
    EXPECT_EQ(schedule.repeats().copied, static_cast<std::int64_t>(ranks[0].items.size()));
    EXPECT_EQ(schedule.repeats().reissued, 0);
  }
}

TEST(Dealer, what_a_slow_rank_has_not_begun_is_recalled_in_the_end) {
  Schedule schedule(std::vector<float>(6400, 1.0F), 2, Order::given);
  std::vector<SimulatedRank> ranks = {{.speed = 1000}, {.speed = 0.1}};
  Dealer dealer(schedule, 2);
  run(dealer, schedule, ranks, 0.001, 30);
  EXPECT_TRUE(schedule.complete());
  EXPECT_EQ(schedule.repeats().recalled, 49);  // 1/64 of its half, but for the first
  EXPECT_EQ(schedule.repeats().copied, 1);
}

TEST(Dealer, a_rank_is_asked_once_for_what_it_has_not_begun) {
  Schedule schedule(std::vector<float>(6400, 1.0F), 8, Order::given);
  Dealer dealer(schedule, 2);
  const auto slow = dealer.deal(1, 4, 0);
  while (schedule.available()) {
    for (const auto item : dealer.deal(0, 4, 0.01)) dealer.finish(0, item, 0.02);
  }
  EXPECT_TRUE(dealer.deal(0, 4, 1).empty());
  EXPECT_EQ(dealer.take_recalls(), std::vector<int>{1});
  EXPECT_TRUE(dealer.deal(0, 4, 1.5).empty());
  EXPECT_TRUE(dealer.take_recalls().empty());
  dealer.end_recall(1, std::span(slow).subspan(4), 1.6);
  const auto again = dealer.deal(0, 4, 1.6);
  ASSERT_FALSE(again.empty());
  EXPECT_EQ(again.front(), slow[4]);
}

TEST(Dealer, a_rank_that_does_not_return_its_items_is_not_waited_for) {
  Schedule schedule(std::vector<float>(6400, 1.0F), 8, Order::given);
  Dealer dealer(schedule, 2);
  const auto slow = dealer.deal(1, 4, 0);
  while (schedule.available()) {
    for (const auto item : dealer.deal(0, 4, 0.01)) dealer.finish(0, item, 0.02);
  }
  EXPECT_TRUE(dealer.deal(0, 4, 1).empty());
  EXPECT_EQ(dealer.deal(0, 4, 3), std::vector<std::int64_t>{slow.back()});
}

TEST(Dealer, equal_ranks_have_little_done_twice) {
  for (const double sigma : {0.0, 1.0}) {
    Schedule schedule(random_costs(2000, sigma), 8, Order::dearest_first);
    std::vector<SimulatedRank> ranks(4, SimulatedRank{.speed = 1, .lanes = 2});
    Dealer dealer(schedule, 4);
    run(dealer, schedule, ranks, ideal_s(schedule, ranks) / 5000);
    EXPECT_LE(schedule.repeats().copied, 8);
  }
}

TEST(Dealer, what_a_lost_rank_had_goes_to_the_others_and_its_late_answers_count) {
  Schedule schedule(std::vector<float>(4, 1.0F), 2, Order::given);
  Dealer dealer(schedule, 2);
  const auto first = dealer.deal(0, 2, 0);
  ASSERT_EQ(first, (std::vector<std::int64_t>{0, 1}));
  dealer.lose(0, 10);
  EXPECT_EQ(dealer.alive(), 1);
  EXPECT_TRUE(dealer.deal(0, 2, 10).empty());
  EXPECT_EQ(schedule.repeats().reissued, 2);
  EXPECT_EQ(dealer.deal(1, 2, 10), std::vector<std::int64_t>{0});
  // 0 is with rank 1 by now, and is to be dropped by rank 0; 1 is with nobody and stays with it.
  EXPECT_EQ(dealer.regain(0, 11), std::vector<std::int64_t>{0});
  EXPECT_EQ(schedule.repeats().reissued, 1);
  // Though told to, it answers 0: rank 1 is spared it.
  EXPECT_EQ(dealer.finish(0, 0, 12), std::vector<int>{1});
  EXPECT_TRUE(dealer.finish(0, 1, 12).empty());
  EXPECT_EQ(schedule.finished(), 2);
}

TEST(Dealer, a_lost_rank_may_answer_what_waits_to_be_handed_out_again) {
  Schedule schedule(std::vector<float>(4, 1.0F), 2, Order::given);
  Dealer dealer(schedule, 2);
  dealer.deal(0, 2, 0);
  dealer.lose(0, 10);
  EXPECT_TRUE(dealer.finish(0, 0, 11).empty());
  EXPECT_EQ(dealer.deal(1, 1, 11), std::vector<std::int64_t>{1});
  EXPECT_DOUBLE_EQ(schedule.waiting_cost(), 2);
}

TEST(Dealer, of_two_that_have_an_item_one_may_be_lost_without_anything_to_hand_out) {
  Schedule schedule(std::vector<float>(2, 1.0F), 2, Order::given);
  Dealer dealer(schedule, 2);
  const auto slow = dealer.deal(0, 1, 0);
  dealer.finish(1, dealer.deal(1, 1, 0).front(), 1);
  ASSERT_EQ(dealer.deal(1, 1, 5), slow);  // 0 has had it for five times as long as 1 will
  dealer.lose(0, 6);
  EXPECT_TRUE(schedule.exhausted());
  EXPECT_EQ(schedule.repeats().reissued, 0);
  EXPECT_TRUE(dealer.finish(1, slow.front(), 7).empty());
  EXPECT_TRUE(schedule.complete());
}

TEST(Dealer, many_ranks_that_are_lost_and_come_back_at_random_finish_every_item) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Schedule schedule(random_costs(200, 1), 5, round % 2 ? Order::given : Order::dearest_first,
                      round % 4 == 1 ? 7 : 0);
    Dealer dealer(schedule, 5);
    std::vector<std::deque<std::int64_t>> has(5);
    for (double now = 0; !schedule.complete() && now < 1e4; now += 0.1) {
      const auto rank = static_cast<int>(random() % 5);
      auto& mine = has[static_cast<std::size_t>(rank)];
      if (rank > 0 && random() % 8 == 0) dealer.lose(rank, now);
      if (random() % 8 == 0) dealer.regain(rank, now);
      for (const auto item : dealer.deal(rank, 1, now)) mine.push_back(item);
      if (mine.empty()) continue;
      if (!schedule.is_finished(mine.front())) dealer.finish(rank, mine.front(), now);
      mine.pop_front();
    }
    EXPECT_TRUE(schedule.complete());
    EXPECT_NEAR(schedule.waiting_cost(), 0, 1e-6 * schedule.total_cost());
  }
}

TEST(Dealer, keeps_a_window_moving) {
  Schedule schedule(random_costs(500, 1), 6, Order::given, 4);
  std::vector<SimulatedRank> ranks = {{50, 2}, {1, 2}, {1, 2}};
  Dealer dealer(schedule, 3);
  run(dealer, schedule, ranks, 0.001);
  EXPECT_TRUE(schedule.complete());
}

}  // namespace
}  // namespace tessera::plan
