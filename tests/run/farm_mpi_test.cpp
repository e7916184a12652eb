// Run at several rank counts by mpirun: farms one after the other on the same world, some of which
// fail on a rank or at the sink. Exits with the number of failed expectations.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "comm/world.hpp"
#include "run/agree.hpp"
#include "run/farm.hpp"
#include "toy_work.hpp"

namespace tessera::run {
namespace {

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  fmt::print(stderr, "not so: {}\n", what);
  ++failures;
}

struct Outcome {
  ToySink sink;
  std::string error;
  double computed_s = 0;  ///< by this rank
};

Outcome farm(comm::World& world, std::int64_t items, std::int64_t bad_item, std::int64_t bad_put,
             const FarmLimits& limits) {
  Outcome outcome{.sink = ToySink(bad_put)};
  ToyWork work(1 + world.rank() % 3, bad_item);
  try {
    std::vector<report::ThreadReport> threads;
    if (!world.is_root()) {
      threads = run_farm(world, work, limits, nullptr);
    } else {
      plan::Schedule schedule(std::vector<float>(static_cast<std::size_t>(items), 1.0F),
                              2 * world.size(), plan::Order::dearest_first);
      Gather gather{schedule, outcome.sink, {}};
      threads = run_farm(world, work, limits, &gather);
    }
    outcome.computed_s = report::RankReport{.threads = threads}.seconds(report::Stage::compute);
  } catch (const base::Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

void every_item_arrives_once(comm::World& world) {
  for (const std::int64_t items : {0, 1, 7, 3000}) {
    const Outcome outcome = farm(world, items, -1, -1, {});
    expect(outcome.error.empty(), "no error, but: " + outcome.error);
    expect(items < 3000 || outcome.computed_s > 0, "every rank takes part");
    if (!world.is_root()) continue;
    expect(outcome.sink.times.size() == static_cast<std::size_t>(items), "all items arrived");
    for (const auto& [item, times] : outcome.sink.times) expect(times == 1, "arrived once");
    expect(outcome.sink.wrong == 0, "bodies belong to their items");
  }
}

void tiny_queues_slow_but_do_not_stall(comm::World& world) {
  const Outcome outcome = farm(world, 500, -1, -1, {.outbox_bytes = 1, .inbox_bytes = 1});
  if (world.is_root()) expect(outcome.sink.times.size() == 500, "all items arrived");
}

void a_failing_rank_ends_the_farm_everywhere(comm::World& world) {
  const Outcome outcome = farm(world, 2000, 1234, -1, {});
  expect(!outcome.error.empty(), "every rank throws");
  expect(outcome.error.find("toy item failed") != std::string::npos, "the cause is told");
  expect(world.size() == 1 || outcome.error.find("rank ") == 0, "the rank is named");
}

void a_failing_sink_ends_the_farm_everywhere(comm::World& world) {
  const Outcome outcome =
      farm(world, 2000, -1, 700, {.outbox_bytes = 1 << 16, .inbox_bytes = 1 << 16});
  expect(!outcome.error.empty(), "every rank throws");
  expect(outcome.error.find("toy disk is full") != std::string::npos, "the cause is told");
}

void all_ranks_leave_with_the_first_error(comm::World& world) {
  std::string told;
  try {
    agree(world, [&] {
      if (world.rank() == world.size() - 1) throw base::usage_error("only the last rank knows");
    });
  } catch (const base::Error& error) {
    told = error.what();
    expect(error.code() == base::ExitCode::usage, "the code travels");
  }
  expect(told == "only the last rank knows", "every rank throws the same");
}

}  // namespace
}  // namespace tessera::run

int main() {
  using namespace tessera::run;
  tessera::comm::World world;
  every_item_arrives_once(world);
  tiny_queues_slow_but_do_not_stall(world);
  a_failing_rank_ends_the_farm_everywhere(world);
  a_failing_sink_ends_the_farm_everywhere(world);
  every_item_arrives_once(world);
  all_ranks_leave_with_the_first_error(world);
  return failures;
}
