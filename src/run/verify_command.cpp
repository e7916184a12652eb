// tessera verify: nothing is taken on trust, neither the bytes nor the device that made them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "job/command_line.hpp"
#include "job/isolation_options.hpp"
#include "job/values.hpp"
#include "plan/schedule.hpp"
#include "run/agree.hpp"
#include "run/arguments.hpp"
#include "run/command.hpp"
#include "run/device_choice.hpp"
#include "run/farm.hpp"
#include "run/file_job.hpp"
#include "run/progress.hpp"
#include "run/shared_input.hpp"
#include "run/verify_work.hpp"

namespace tessera::run {
namespace {

std::span<const job::Option<VerifyJob>> verify_options() {
  using job::Kind;
  using job::Scope;
  static const std::vector<job::Option<VerifyJob>> options = {
      {"sample", "N", "tiles of which 16 rows are computed again", Scope::run, Kind::number,
       [](VerifyJob& job, std::string_view text, std::string_view what) {
         job.sample = base::parse_integer(text, what, 0, std::int64_t{1} << 40);
       },
       [](const VerifyJob& job) { return std::to_string(job.sample); }},
      {"device", "LIST", "device for the sample; reference, or cpu if reference made the file",
       Scope::run, Kind::list,
       [](VerifyJob& job, std::string_view text, std::string_view) { job.device = text; },
       [](const VerifyJob& job) { return job.device; }},
      {"seed", "N", "another seed samples other tiles and rows", Scope::run, Kind::number,
       [](VerifyJob& job, std::string_view text, std::string_view what) {
         job.seed =
             static_cast<std::uint64_t>(base::parse_integer(text, what, 0, std::int64_t{1} << 62));
       },
       [](const VerifyJob& job) { return std::to_string(job.seed); }},
      {"threads", "N", "worker threads of each rank; 0 = all it may use", Scope::run, Kind::number,
       [](VerifyJob& job, std::string_view text, std::string_view what) {
         job.threads = static_cast<int>(base::parse_integer(text, what, 0, 1024));
       },
       [](const VerifyJob& job) { return std::to_string(job.threads); }},
      job::isolate_option<VerifyJob>(),
      job::device_timeout_option<VerifyJob>(),
      {"memory", "SIZE", "bound of each rank's memory", Scope::run, Kind::number,
       [](VerifyJob& job, std::string_view text, std::string_view what) {
         job.memory_bytes = job::parse_memory(text, what);
       },
       [](const VerifyJob& job) { return job::format_memory(job.memory_bytes); }},
      {"quiet", "", "no progress and no summary", Scope::run, Kind::toggle,
       [](VerifyJob& job, std::string_view, std::string_view) { job.quiet = true; },
       [](const VerifyJob&) { return std::string(); }},
  };
  return options;
}

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
  const int everywhere = total_lanes(world, work.live_lanes());
  // What comes back of a tile is a few bytes.
  const FarmLimits limits{.outbox_bytes = std::size_t{1} << 20,
                          .inbox_bytes = std::size_t{1} << 20};
  if (!world.is_root()) {
    run_farm(world, work, limits, nullptr);
    return;
  }
  plan::Schedule schedule(costs_of(plan), everywhere, plan::Order::dearest_first);
  Progress progress("verify", "tiles", quiet);
  Gather gather{schedule, sink, [&](const auto& now) { progress.show(now); }};
  run_farm(world, work, limits, &gather);
}

base::ExitCode verify(comm::World& world, const VerifyJob& base_job,
                      const std::vector<job::Given>& given) {
  VerifyJob request = base_job;
  std::unique_ptr<store::ImageReader> reader;
  VerifyPlan plan;
  SampleOrder order;
  std::optional<Lanes> lanes;
  const auto open = [&] {
    reader = open_shared_input(world, request.input);
    if (reader) plan = plan_verification(*reader, request);
  };
  agree(world, [&] {
    apply_options(request, verify_options(), std::span<const job::Given>(given));
    if (!world.is_root()) return;
    open();
    order = make_order(plan, request);
  });
  order = share(world, order);
  const std::string devices = choose_devices(world, order.device, drive_of(request));
  agree(world, [&] {
    // After the gather rank: what that saw of a growing file is there now.
    if (!world.is_root()) open();
    mark_sample(plan, order.tiles);
    open_chosen(lanes, order.device, devices, drive_of(request), world);
  });
  VerifyWork work(reader.get(), plan, *lanes);
  VerifySink sink;
  check_tiles(world, work, plan, request.quiet, sink);
  agree(world, [&] {
    if (world.is_root()) report_result(plan, request, sink, lanes->names());
  });
  return base::ExitCode::done;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  struct Arguments {
    VerifyJob job;
    std::vector<job::Given> given;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("FILE.h5", arguments->job.input, "a rendered file")->required();
  job::add_options(app, verify_options(), arguments->given);
  app.callback([arguments, &action] {
    action = [arguments](comm::World& world) {
      return verify(world, arguments->job, arguments->given);
    };
  });
}

}  // namespace tessera::run
