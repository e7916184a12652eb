// Whole farms, simulated: every item is stored once, whatever happens to the ranks, and the workers
// have work nearly all the time.
#include "plan/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tessera::plan {
namespace {

struct ItemCosts {
  std::vector<float> predicted, seconds;
};

/// Log-normal, with predictions that are off by a factor.
ItemCosts random_costs(std::size_t count, double mean_s, double spread, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  ItemCosts costs;
  for (std::size_t i = 0; i < count; ++i) {
    const double cost = std::exp(spread * normal(random) - spread * spread / 2);
    costs.seconds.push_back(static_cast<float>(mean_s * cost));
    costs.predicted.push_back(static_cast<float>(cost * std::exp(0.3 * normal(random))));
  }
  return costs;
}

SimulatedRun simulate_costs(const SimulatedFarm& farm, const ItemCosts& costs) {
  const SimulatedRun run = simulate(farm, costs.predicted, costs.seconds);
  EXPECT_EQ(run.stored, std::ssize(costs.seconds));
  return run;
}

TEST(Simulation, the_workers_of_many_ranks_have_work) {
  for (const int ranks : {1, 3, 64, 500}) {
    const ItemCosts costs = random_costs(static_cast<std::size_t>(ranks) * 400, 0.5, 0.5, 1);
    const SimulatedRun run = simulate_costs({.ranks = ranks, .lanes = 4}, costs);
    EXPECT_GT(run.efficiency(), 0.97) << ranks;
    EXPECT_LE(run.efficiency(), 1.0 + 1e-9) << ranks;
    EXPECT_EQ(run.repeats.reissued, 0) << ranks;
  }
}

TEST(Simulation, an_item_that_takes_longer_than_all_others_is_the_limit) {
  ItemCosts costs = random_costs(1000, 0.01, 0.1, 2);
  costs.seconds[17] = costs.predicted[17] = 5;
  const SimulatedRun run = simulate_costs({.ranks = 10, .lanes = 4}, costs);
  EXPECT_GE(run.wall_s, 5);
  EXPECT_LT(run.wall_s, 5.5);
  EXPECT_EQ(run.longest_item_s, 5);
}

TEST(Simulation, a_gather_rank_that_is_slow_is_the_limit) {
  const ItemCosts costs = random_costs(20'000, 0.01, 0.5, 3);
  const SimulatedRun run =
      simulate_costs({.ranks = 40, .lanes = 4, .gather = {.store_s = 1e-3}}, costs);
  EXPECT_GT(run.gather_busy_s / run.wall_s, 0.95);
  EXPECT_NEAR(run.wall_s, 20, 1);
}

TEST(Simulation, several_writers_take_a_part_of_the_time_each) {
  const ItemCosts costs = random_costs(20'000, 0.01, 0.5, 3);
  SimulatedFarm farm{.ranks = 40, .lanes = 4, .gather = {.store_s = 1e-3}};
  for (const int writers : {2, 4, 8}) {
    farm.writers = writers;
    const SimulatedRun run = simulate_costs(farm, costs);
    EXPECT_NEAR(run.wall_s, 20.0 / writers, 0.5) << writers;
    EXPECT_GT(run.writer_busy_s / run.wall_s, 0.9) << writers;
  }
  farm.writers = 40;  // now the workers are the limit
  EXPECT_GT(simulate_costs(farm, costs).efficiency(), 0.9);
}

TEST(Simulation, ranks_of_different_speed_end_together) {
  const ItemCosts costs = random_costs(20'000, 0.1, 0.5, 4);
  const SimulatedRun run = simulate_costs(
      {.ranks = 30, .lanes = 4, .speed_of = [](int rank) { return rank % 3 == 0 ? 0.1 : 1.0; }},
      costs);
  EXPECT_GT(run.efficiency(), 0.95);
}

TEST(Simulation, each_item_is_stored_once_though_ranks_are_lost) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const int ranks = 2 + static_cast<int>(random() % 40);
    const ItemCosts costs = random_costs(2000, 0.05, 1.0, seed);
    SimulatedFarm farm{.ranks = ranks, .lanes = 1 + static_cast<int>(random() % 8)};
    farm.speed_of = [seed](int rank) { return 0.2 + (rank * 7 + static_cast<int>(seed)) % 5; };
    const double ideal_s = simulate_costs(farm, costs).ideal_s;
    // All but the first may be lost, at any time.
    for (int rank = 1; rank < ranks; ++rank) {
      if (random() % 3 == 0)
        farm.losses.push_back({rank, ideal_s * static_cast<double>(random() % 1000) / 500});
    }
    const SimulatedRun run = simulate_costs(farm, costs);
    EXPECT_GE(run.wall_s, ideal_s) << seed;
  }
}

TEST(Simulation, nothing_to_do_takes_no_time) {
  const SimulatedRun run = simulate({.ranks = 4, .lanes = 2}, {}, {});
  EXPECT_EQ(run.stored, 0);
  EXPECT_EQ(run.wall_s, 0);
}

}  // namespace
}  // namespace tessera::plan
