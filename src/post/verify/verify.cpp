#include "post/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/printable.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "binding/device_choice.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "farm/farm.hpp"
#include "plan/schedule.hpp"
#include "post/shared_input.hpp"
#include "post/verify/verify_work.hpp"
#include "report/json_parts.hpp"

namespace tessera::post {
namespace {

/// The parameters of the sample. The gather rank chooses them, since ranks may see different states
/// of a growing file.
struct SampleOrder {
  std::string device;
  std::vector<std::uint32_t> tiles;
};

SampleOrder make_order(const VerifyPlan& plan, const job::VerifyJob& request) {
  SampleOrder order{.device = request.sample_device, .tiles = choose_sample(plan, request.sample)};
  // The reference takes every step, which nobody waits for beyond 2^32 steps a pixel.
  const bool by_cores = plan.by_reference || plan.job.image.has_long_orbits();
  if (order.device.empty()) order.device = by_cores ? "cpu" : "reference";
  return order;
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

std::int64_t rows_each(const VerifyPlan& plan) {
  return std::min<std::int64_t>(kSampledRows, plan.tiles.chunk_px().height);
}

std::string definition_text(const VerifyPlan& plan, const std::string& name, std::int64_t pixels) {
  if (!plan.job.image.has_place()) return "";
  if (!has_defined_counts(plan.job.image)) {
    return fmt::format("{}: rendered with --exact off: counts not compared with MPFR\n", name);
  }
  return fmt::format("{}: {} of these rows computed by definition with MPFR: the same counts\n",
                     name, base::count_of(pixels, "pixel"));
}

std::string text_of(const VerifyPlan& plan, const job::VerifyJob& request, const VerifySink& sink,
                    const std::string& device) {
  const std::string name = base::printable(request.input);
  const std::int64_t all = plan.tiles.count();
  std::string text = fmt::format("{}: {}{} of {} stored, all checksums right\n", name,
                                 plan.complete ? "" : "unfinished, ",
                                 all - sink.count(Verdict::absent), base::count_of(all, "tile"));
  const std::int64_t recomputed = sink.count(Verdict::recomputed);
  if (recomputed == 0) return text + fmt::format("{}: no row computed again\n", name);
  text += fmt::format("{}: {} of {} computed again on {}: the same bits\n", name,
                      base::count_of(rows_each(plan), "row"), base::count_of(recomputed, "tile"),
                      device);
  return text + definition_text(plan, name, sink.defined_pixels());
}

std::string json_of(const VerifyPlan& plan, const job::VerifyJob& request, const VerifySink& sink,
                    const std::string& device) {
  const std::int64_t absent = sink.count(Verdict::absent);
  report::Json json = report::document("verify");
  json["file"] = request.input;
  json["complete"] = plan.complete;
  json["tiles"] = plan.tiles.count();
  json["stored_tiles"] = plan.tiles.count() - absent;
  json["wrong_tiles"] = sink.count(Verdict::wrong);
  json["missing_tiles"] = plan.complete ? absent : 0;
  json["recomputed_tiles"] = sink.count(Verdict::recomputed);
  json["rows_each"] = rows_each(plan);
  json["defined_pixels"] = sink.defined_pixels();
  json["device"] = device;
  json["problems"] = sink.problems();
  return report::dump(json);
}

/// Returns what is wrong, or "".
std::string report_result(const VerifyPlan& plan, const job::VerifyJob& request,
                          const VerifySink& sink, const std::string& device) {
  for (const std::string& problem : sink.problems()) {
    base::log("{}", base::printable(fmt::format("{}: {}", request.input, problem)));
  }
  const std::int64_t all = plan.tiles.count();
  const std::int64_t absent = sink.count(Verdict::absent);
  const std::int64_t wrong = sink.count(Verdict::wrong);
  std::vector<std::string> verdicts;
  if (wrong > 0) {
    verdicts.push_back(
        fmt::format("{} damaged or wrong", base::some_are(wrong, all - absent, "stored tile")));
  }
  if (plan.complete && absent > 0) {
    verdicts.push_back(fmt::format("{} missing from a file that says it is complete",
                                   base::some_are(absent, all, "tile")));
  }
  // A repair verifies once more, for its one document.
  const bool prints_json = request.json && (verdicts.empty() || !request.repair);
  if (prints_json) fmt::print("{}", json_of(plan, request, sink, device));
  const bool prints_text = verdicts.empty() && !request.quiet && !request.json;
  if (prints_text) fmt::print("{}", text_of(plan, request, sink, device));
  return base::join(verdicts, "; ");
}

}  // namespace

std::string verify(comm::World& world, const job::VerifyJob& job) {
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
  order.device = comm::broadcast_value(world, order.device);
  order.tiles = comm::broadcast_value(world, order.tiles);
  const auto devices =
      binding::choose_devices(world, order.device, job, binding::Joining::under_auto);
  comm::agree(world, [&] {
    // Opened after the gather rank, so that this rank sees at least the same tiles of a growing
    // file.
    if (!world.is_root()) open();
    mark_sample(plan, order.tiles);
    binding::open_chosen(lanes, order.device, devices, job, world);
  });
  VerifyWork work(reader.get(), plan, *lanes);
  VerifySink sink;
  farm::run(world, {.work = work,
                    .sink = world.is_root() ? &sink : nullptr,
                    .costs = costs_of(plan),
                    .order = plan::Order::dearest_first,
                    .label = "verify",
                    .item = "tile",
                    .quiet = job.quiet,
                    .limits = farm::kSmallResults});
  std::string damage;
  comm::agree(world, [&] {
    if (world.is_root()) damage = report_result(plan, job, sink, lanes->devices().names());
  });
  return comm::broadcast_value(world, damage);
}

}  // namespace tessera::post
