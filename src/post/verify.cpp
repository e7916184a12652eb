#include "post/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "binding/device_choice.hpp"
#include "comm/agree.hpp"
#include "farm/farm.hpp"
#include "farm/progress.hpp"
#include "plan/schedule.hpp"
#include "post/shared_input.hpp"
#include "post/verify_work.hpp"

namespace tessera::post {
namespace {

/// How the sample is taken: the gather rank decides, since ranks may see different moments of a
/// file in the making.
struct SampleOrder {
  std::string device;
  std::vector<std::uint32_t> tiles;
};

SampleOrder make_order(const VerifyPlan& plan, const VerifyJob& request) {
  SampleOrder order{.device = request.device, .tiles = choose_sample(plan, request.sample)};
  if (order.device.empty()) order.device = plan.by_reference ? "cpu" : "reference";
  return order;
}

SampleOrder share(comm::World& world, const SampleOrder& order) {
  base::ByteWriter out;
  out.put_text(order.device).put_bytes(std::as_bytes(std::span(order.tiles)));
  const base::Bytes told = world.broadcast(out.take());
  base::ByteReader in(told);
  SampleOrder shared{.device = in.get_text()};
  while (!in.empty()) shared.tiles.push_back(in.get<std::uint32_t>());
  return shared;
}

std::vector<float> costs_of(const VerifyPlan& plan) {
  std::vector<float> costs;
  costs.reserve(plan.states.size());
  for (const TileState state : plan.states) {
    costs.push_back(state == TileState::sampled  ? 100.0F
                    : state == TileState::stored ? 1.0F
                                                 : .01F);
  }
  return costs;
}

/// Throws if anything is wrong.
void report_result(const VerifyPlan& plan, const VerifyJob& request, const VerifySink& sink,
                   const std::string& device) {
  for (const std::string& problem : sink.problems()) {
    fmt::print(stderr, "{}\n", base::printable(fmt::format("{}: {}", request.input, problem)));
  }
  const std::int64_t all = plan.tiles.count();
  const std::int64_t absent = sink.count(Verdict::absent);
  const std::int64_t wrong = sink.count(Verdict::wrong);
  std::vector<std::string> verdicts;
  if (wrong > 0) {
    verdicts.push_back(
        fmt::format("{} of {} stored tiles are damaged or wrong", wrong, all - absent));
  }
  if (plan.complete && absent > 0) {
    verdicts.push_back(fmt::format(
        "{} of {} tiles are missing from a file that says it is complete", absent, all));
  }
  if (!verdicts.empty()) {
    throw base::run_error("{}: {}", request.input, base::join(verdicts, "; "));
  }
  if (request.quiet) return;
  fmt::print("{}: {}{} of {} tiles stored, all checksums right\n", base::printable(request.input),
             plan.complete ? "" : "unfinished, ", all - absent, all);
  const std::int64_t recomputed = sink.count(Verdict::recomputed);
  if (recomputed == 0) {
    fmt::print("{}: no row computed again\n", base::printable(request.input));
    return;
  }
  fmt::print("{}: {} rows of {} tiles computed again on {}: the same bits\n",
             base::printable(request.input),
             std::min<std::int64_t>(kSampledRows, plan.tiles.chunk_px().height), recomputed,
             device);
}

/// `sink` fills on the gather rank.
void check_tiles(comm::World& world, VerifyWork& work, const VerifyPlan& plan, bool quiet,
                 VerifySink& sink) {
  const int everywhere = binding::total_lanes(world, work.live_lanes());
  // What comes back of a tile is a few bytes.
  const farm::FarmLimits limits{.outbox_bytes = std::size_t{1} << 20,
                                .inbox_bytes = std::size_t{1} << 20};
  if (!world.is_root()) {
    farm::run_farm(world, work, limits, nullptr);
    return;
  }
  plan::Schedule schedule(costs_of(plan), everywhere, plan::Order::dearest_first);
  farm::Progress progress("verify", "tiles", quiet);
  farm::Gather gather{schedule, sink, [&](const auto& now) { progress.show(now); }};
  farm::run_farm(world, work, limits, &gather);
}

}  // namespace

void verify(comm::World& world, const VerifyJob& job) {
  std::unique_ptr<store::ImageReader> reader;
  VerifyPlan plan;
  SampleOrder order;
  std::optional<binding::Lanes> lanes;
  const auto open = [&] {
    reader = open_shared_input(world, job.input);
    if (reader) plan = plan_verification(*reader, job);
  };
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    open();
    order = make_order(plan, job);
  });
  order = share(world, order);
  const std::string devices = binding::choose_devices(world, order.device, binding::drive_of(job));
  comm::agree(world, [&] {
    // After the gather rank: what that saw of a growing file is there now.
    if (!world.is_root()) open();
    mark_sample(plan, order.tiles);
    binding::open_chosen(lanes, order.device, devices, binding::drive_of(job), world);
  });
  VerifyWork work(reader.get(), plan, *lanes);
  VerifySink sink;
  check_tiles(world, work, plan, job.quiet, sink);
  comm::agree(world, [&] {
    if (world.is_root()) report_result(plan, job, sink, lanes->names());
  });
}

}  // namespace tessera::post
