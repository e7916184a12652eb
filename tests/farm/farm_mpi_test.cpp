// Run at several rank counts by mpirun: farms one after the other on the same world, some of which
// fail on a rank or at the sink. Exits with the number of failed expectations.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/launcher.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"
#include "toy_work.hpp"

namespace tessera::farm {
namespace {

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  fmt::print(stderr, "not so: {}\n", what);
  ++failures;
}

std::vector<float> equal_costs(std::int64_t items) {
  return std::vector<float>(static_cast<std::size_t>(items), 1.0F);
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
    const FarmResult result = run(world, {.work = work,
                                          .sink = world.is_root() ? &outcome.sink : nullptr,
                                          .costs = equal_costs(items),
                                          .order = plan::Order::dearest_first,
                                          .limits = limits});
    outcome.computed_s =
        report::RankReport{.threads = result.threads}.seconds(report::Stage::compute);
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

/// Items in turn belong to the parts, which are stored by `ranks`.
Parts in_turn(std::vector<int> ranks) {
  const auto count = static_cast<std::int64_t>(ranks.size());
  return {.ranks = std::move(ranks),
          .of_item = [count](std::int64_t item) { return static_cast<std::size_t>(item % count); }};
}

/// Parts of as many ranks as there are, up to `most`, the gather rank last.
Parts parts_of(const comm::World& world, int most) {
  std::vector<int> ranks;
  for (int part = std::min(most, world.size()) - 1; part >= 0; --part) ranks.push_back(part);
  return in_turn(std::move(ranks));
}

struct Stored {
  ToySink sink;
  std::string error;
};

Stored store_in_parts(comm::World& world, std::int64_t items, const Parts& parts,
                      std::int64_t bad_item, std::int64_t bad_put, const FarmLimits& limits) {
  Stored stored{.sink = ToySink(bad_put)};
  ToyWork work(1 + world.rank() % 3, bad_item);
  try {
    run(world, {.work = work,
                .sink = parts.count() > 1 || world.is_root() ? &stored.sink : nullptr,
                .parts = parts,
                .costs = equal_costs(items),
                .limits = limits});
  } catch (const base::Error& error) {
    stored.error = error.what();
  }
  return stored;
}

void every_item_arrives_at_the_rank_of_its_part(comm::World& world) {
  for (const int most : {1, 2, 3, 100}) {
    const Parts parts = parts_of(world, most);
    for (const std::int64_t items : {0, 1, 5, 3000}) {
      for (const std::size_t queue : {std::size_t{1}, std::size_t{64} << 20}) {
        const Stored stored = store_in_parts(world, items, parts, -1, -1,
                                             {.outbox_bytes = queue, .inbox_bytes = queue});
        expect(stored.error.empty(), "no error, but: " + stored.error);
        for (std::int64_t item = 0; item < items; ++item) {
          const bool mine = parts.rank_of(item) == world.rank();
          const auto found = stored.sink.times.find(item);
          const int times = found == stored.sink.times.end() ? 0 : found->second;
          expect(times == (mine ? 1 : 0), fmt::format("item {} of {}", item, items));
        }
        expect(stored.sink.wrong == 0, "bodies belong to their items");
      }
    }
  }
}

void a_failure_anywhere_ends_a_farm_of_several_parts(comm::World& world) {
  const Parts parts = parts_of(world, 3);
  for (const std::int64_t bad : {700, 701, 702}) {
    const FarmLimits small{.outbox_bytes = 1 << 16, .inbox_bytes = 1 << 16};
    const Stored full = store_in_parts(world, 2000, parts, -1, bad, small);
    expect(full.error.find("toy disk is full") != std::string::npos, "told: " + full.error);
    const Stored broken = store_in_parts(world, 2000, parts, bad, -1, small);
    expect(broken.error.find("toy item failed") != std::string::npos, "told: " + broken.error);
  }
}

void finished_items_are_not_made_again(comm::World& world) {
  ToySink sink;
  ToyWork work(2);
  std::vector<bool> finished(60);  // shorter than the 100 items
  for (std::size_t item = 0; item < finished.size(); item += 2) finished[item] = true;
  run(world, {.work = work,
              .sink = world.is_root() ? &sink : nullptr,
              .costs = equal_costs(100),
              .finished = finished});
  if (!world.is_root()) return;
  expect(sink.times.size() == 70, "all others arrived");
  for (const auto& [item, times] : sink.times) {
    expect(item >= 60 || item % 2 == 1, "only items that were not finished");
  }
}

void tiny_queues_slow_but_do_not_stall(comm::World& world) {
  const Outcome outcome = farm(world, 500, -1, -1, {.outbox_bytes = 1, .inbox_bytes = 1});
  if (world.is_root()) expect(outcome.sink.times.size() == 500, "all items arrived");
}

void a_failing_rank_ends_the_farm_everywhere(comm::World& world) {
  const Outcome outcome = farm(world, 2000, 1234, -1, {});
  expect(!outcome.error.empty(), "every rank throws");
  expect(outcome.error.find("toy item failed") != std::string::npos, "the error names the cause");
  expect(world.size() == 1 || outcome.error.find("rank ") == 0, "the rank is named");
}

void a_failing_sink_ends_the_farm_everywhere(comm::World& world) {
  const Outcome outcome =
      farm(world, 2000, -1, 700, {.outbox_bytes = 1 << 16, .inbox_bytes = 1 << 16});
  expect(!outcome.error.empty(), "every rank throws");
  expect(outcome.error.find("toy disk is full") != std::string::npos, "the error names the cause");
}

/// Ranks whose devices fail after `lives` parts each (< 0 = never), by rank.
Outcome dying_farm(comm::World& world, std::int64_t items, std::vector<int> lives,
                   plan::Order order, std::int64_t window = 0) {
  Outcome outcome;
  DyingWork work(1 + world.rank() % 3, std::move(lives));
  try {
    run(world, {.work = work,
                .sink = world.is_root() ? &outcome.sink : nullptr,
                .costs = equal_costs(items),
                .order = order,
                .window = window});
    // The next farm of the run knows what was lost in this one.
    Outcome again{.sink = ToySink()};
    run(world,
        {.work = work, .sink = world.is_root() ? &again.sink : nullptr, .costs = equal_costs(50)});
    if (world.is_root()) expect(again.sink.times.size() == 50, "the next farm is complete");
  } catch (const base::Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

void expect_all(const comm::World& world, const Outcome& outcome, std::size_t items) {
  expect(outcome.error.empty(), "no error, but: " + outcome.error);
  if (!world.is_root()) return;
  expect(outcome.sink.times.size() == items, "all items arrived");
  for (const auto& [item, times] : outcome.sink.times) expect(times == 1, "arrived once");
}

void one_rank_is_enough(comm::World& world) {
  for (int survivor = 0; survivor < world.size(); ++survivor) {
    for (const int life : {0, 1, 20, 300}) {
      const int mine = world.rank() == survivor ? -1 : life;
      expect_all(world, dying_farm(world, 1000, {mine}, plan::Order::dearest_first), 1000);
      expect_all(world, dying_farm(world, 300, {mine}, plan::Order::given, 5), 300);
    }
  }
}

void a_rank_goes_on_with_the_devices_that_are_left(comm::World& world) {
  // Ranks 1, 4, ... have lanes on two devices; those of one lane lose it.
  const int life = world.rank() % 3 == 0 ? -1 : 10;
  expect_all(world, dying_farm(world, 1000, {life, -1}, plan::Order::dearest_first), 1000);
}

void without_any_device_left_the_farm_fails_everywhere(comm::World& world) {
  for (const int life : {0, 7}) {
    const Outcome outcome = dying_farm(world, 5000, {life}, plan::Order::dearest_first);
    expect(outcome.error.find("no device is left: ") == 0, "told: " + outcome.error);
    expect(outcome.error.find("toy died") != std::string::npos, "the error names the cause");
    expect(world.size() == 1 || outcome.error.find("rank ") != std::string::npos, "and where");
  }
}

/// The slow rank holds dozens of items, because its speed is unknown until it has finished one.
void what_a_slow_rank_has_not_begun_is_computed_elsewhere(comm::World& world) {
  for (int slow = 0; slow < world.size() && world.size() > 1; ++slow) {
    ToySink sink;
    SlowWork work(2, world.rank() == slow);
    const FarmResult result = run(
        world,
        {.work = work, .sink = world.is_root() ? &sink : nullptr, .costs = equal_costs(12'800)});
    // Ten in a second, and the others may need a minute on a busy machine.
    if (world.rank() == slow) expect(work.begun() < 640, "it has begun few items");
    if (!world.is_root()) continue;
    expect(result.repeats.recalled > 0, "it has returned others");
    expect(sink.times.size() == 12'800, "all items arrived");
    for (const auto& [item, times] : sink.times) expect(times == 1, "arrived once");
  }
}

void all_ranks_leave_with_the_first_error(comm::World& world) {
  std::string told;
  try {
    comm::agree(world, [&] {
      if (world.rank() == world.size() - 1) throw base::usage_error("only the last rank knows");
    });
  } catch (const base::Error& error) {
    told = error.what();
    expect(error.code() == base::ExitCode::usage, "the code travels");
  }
  expect(told == "only the last rank knows", "every rank throws the same");
}

}  // namespace
}  // namespace tessera::farm

int main() {
  using namespace tessera::farm;
  tessera::base::Events events;
  tessera::comm::World world = tessera::comm::has_launcher() ? tessera::comm::World::launch(events)
                                                             : tessera::comm::World::single();
  every_item_arrives_once(world);
  every_item_arrives_at_the_rank_of_its_part(world);
  a_failure_anywhere_ends_a_farm_of_several_parts(world);
  finished_items_are_not_made_again(world);
  tiny_queues_slow_but_do_not_stall(world);
  a_failing_rank_ends_the_farm_everywhere(world);
  a_failing_sink_ends_the_farm_everywhere(world);
  one_rank_is_enough(world);
  a_rank_goes_on_with_the_devices_that_are_left(world);
  without_any_device_left_the_farm_fails_everywhere(world);
  what_a_slow_rank_has_not_begun_is_computed_elsewhere(world);
  every_item_arrives_once(world);
  all_ranks_leave_with_the_first_error(world);
  return world.finalize(failures);
}
