#include "api/parts.hpp"

#include <algorithm>
#include <functional>

#include "api/direct.hpp"
#include "api/reduction.hpp"
#include "base/error.hpp"
#include "binding/rank_devices.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "comm/gather_values.hpp"
#include "device/select/registry.hpp"

namespace tessera::api {
namespace {

/// The partial result of a rank.
struct Part {
  base::ElementType type = base::ElementType::f64;
  statistics::Partial sums;
};

bool is_here(const job::ArrayInput& input) {
  return !input.is_in_file() && !input.is_generated();
}

statistics::Partial merged(const std::vector<Part>& parts) {
  statistics::Partial all;
  std::int64_t first = 0;
  for (Part part : parts) {
    if (part.type != parts.front().type) {
      throw base::usage_error("the parts of the ranks have elements of different types");
    }
    const std::int64_t elements = part.sums.elements;
    part.sums.move_places(first);
    all.merge(part.sums);
    first += elements;
  }
  return all;
}

}  // namespace

bool is_of_parts(const job::ReduceJob& job) {
  std::vector<job::ArrayInput> inputs = job.inputs;
  if (job.with) inputs.push_back(*job.with);
  if (job.weights) inputs.push_back(*job.weights);
  inputs.insert(inputs.end(), job.by.begin(), job.by.end());
  if (std::ranges::none_of(inputs, is_here)) return false;
  if (!is_plain_in_memory(job)) {
    throw base::usage_error(
        "a communicator: arrays in memory are parts of one array, which is reduced as a whole; put "
        "arrays for axes, groups, expressions and dot into files");
  }
  check_partial(job, "an array in the memory of several ranks");
  return true;
}

bool all_or_none(comm::World& world, bool mine) {
  const int count = comm::all_reduce(world, mine ? 1 : 0, std::plus<>());
  if (count == 0 || count == world.size()) return count > 0;
  throw comm::AgreedError(base::ExitCode::usage,
                          "a communicator: some ranks have an array in memory, and some in a file");
}

Results reduce_parts(Context::State& caller, run::Context& context, const job::ReduceJob& job) {
  comm::World& world = context.world;
  DirectResult mine;
  const device::Placement place = binding::place_of(world, job);
  comm::agree(world, [&] {
    std::vector<std::unique_ptr<device::Device>> cores;
    mine = reduce_here(caller, job, [&]() -> device::Device& {
      cores = device::open_devices("cpu", place);
      return *cores.front();
    });
  });
  const std::vector<Part> parts = comm::gather_values(world, Part{mine.spec.type, mine.sums});
  Results results;
  comm::agree(world, [&] {
    if (world.is_root()) results = results_of(job, mine.spec, merged(parts));
  });
  return results;
}

}  // namespace tessera::api
