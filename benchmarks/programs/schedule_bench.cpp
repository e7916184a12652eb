// Farms of up to 10,000 ranks, simulated: how busy the workers are if the gather rank takes the
// time that deal() and finish() take here. Costs are log-normal (sigma 0.5), predictions are off by
// a factor (sigma 0.3), latency is 20 µs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "plan/simulation.hpp"

namespace {

using namespace tessera;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Farm {
  int ranks = 1;
  int tiles_each = 1000;
  double mean_s = 0.5;
};

nlohmann::json measure(const Farm& farm, int lanes) {
  const auto count =
      static_cast<std::size_t>(farm.ranks) * static_cast<std::size_t>(farm.tiles_each);
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> predicted(count);
  std::vector<float> seconds(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float cost = std::exp(0.5F * normal(random) - 0.125F);
    seconds[i] = static_cast<float>(farm.mean_s) * cost;
    predicted[i] = cost * std::exp(0.3F * normal(random));
  }
  const double begin_s = now_s();
  const plan::SimulatedRun run =
      plan::simulate({.ranks = farm.ranks, .lanes = lanes, .gather = {.deal_s = 0}, .clock = now_s},
                     predicted, seconds);
  return {{"ranks", farm.ranks},
          {"tiles", count},
          {"mean_s", farm.mean_s},
          {"efficiency", run.efficiency()},
          {"gather_busy", run.gather_busy_s / run.wall_s},
          {"gather_s_a_tile", run.gather_busy_s / static_cast<double>(count)},
          {"longest_queue_s", run.longest_queue_s},
          {"deals_a_tile", static_cast<double>(run.deals) / static_cast<double>(count)},
          {"stored", run.stored},
          {"took_s", now_s() - begin_s}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Simulated farms");
  bool largest = false;
  app.add_flag("--largest", largest, "4,096 and 10,000 ranks, too: minutes, and some GiB");
  CLI11_PARSE(app, argc, argv);
  std::vector<Farm> farms{{64, 1000, 0.5},
                          {256, 1000, 0.5},
                          {1024, 1000, 0.5},
                          {1024, 1000, 0.05},
                          {1024, 1000, 0.005}};
  if (largest) farms.insert(farms.end(), {{4096, 1000, 0.5}, {10'000, 1000, 0.5}});
  nlohmann::json found = nlohmann::json::array();
  for (const Farm& farm : farms) {
    found.push_back(measure(farm, 16));
    if (found.back()["stored"] != found.back()["tiles"]) return 1;
  }
  fmt::print("{}\n", found.dump(1));
  return 0;
}
