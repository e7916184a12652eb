#include "api/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "api/direct.hpp"
#include "api/reduction.hpp"
#include "base/error.hpp"
#include "binding/rank_devices.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "comm/gather_values.hpp"
#include "device/select/registry.hpp"
#include "reduce/job_facts.hpp"
#include "reduce/kept_answers.hpp"

namespace tessera::api {
namespace {

/// The partial result of a rank.
struct Part {
  std::string of;  ///< what all ranks must have
  statistics::Partial sums;

  static auto members(auto& self) { return std::tie(self.of, self.sums); }
};

/// The options that decide numbers, the type, and the shape but for the first dimension.
std::string text_of(const job::ReduceJob& job, base::ElementType type) {
  std::string text(base::element_code(type));
  const job::ArrayInput& input = job.inputs.front();
  const job::Shape shape = input.memory ? input.memory->shape : input.reader->shape();
  for (std::size_t d = 1; d < shape.size(); ++d) text += fmt::format(" x {}", shape[d]);
  for (const auto& [name, value] : reduce::describe_answers(job).options) {
    text += fmt::format(", {} {}", name, value);
  }
  return text;
}

statistics::Partial merged(const std::vector<Part>& parts) {
  statistics::Partial all;
  std::int64_t first = 0;
  for (Part part : parts) {
    if (part.of != parts.front().of) {
      throw base::usage_error("a communicator: one rank reduces {}; another one {}",
                              parts.front().of, part.of);
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
  if (!is_plain_in_memory(job)) {
    check_in_files(reduce::facts_of(job).inputs);
    return false;
  }
  check_partial(job, "an array in the memory of several ranks");
  return true;
}

void check_in_files(std::span<const job::ArrayInput> inputs) {
  if (std::ranges::none_of(inputs, &job::ArrayInput::is_in_memory)) return;
  throw base::usage_error(
      "a communicator: arrays in memory are parts of one array, which is reduced as a whole; put "
      "arrays for axes, groups, expressions and dot into files");
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
  const std::vector<Part> parts =
      comm::gather_values(world, Part{text_of(job, mine.spec.type), mine.sums});
  Results results;
  comm::agree(world, [&] {
    if (world.is_root()) results = results_of(job, mine.spec, merged(parts));
  });
  return results;
}

}  // namespace tessera::api
