// tessera verify: nothing is taken on trust, neither the bytes nor the device that made them.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "job/command_line.hpp"
#include "plan/schedule.hpp"
#include "run/agree.hpp"
#include "run/arguments.hpp"
#include "run/command.hpp"
#include "run/farm.hpp"
#include "run/file_job.hpp"
#include "run/progress.hpp"
#include "run/shared_input.hpp"
#include "run/verify_work.hpp"

namespace tessera::run {
namespace {

constexpr std::size_t kMostPrinted = 20;

struct VerifyJob {
  std::string input;
  std::int64_t sample = 32;
  std::string device;  ///< "" = another one than made the file
  std::uint64_t seed = 1;
  int threads = 0;
  bool quiet = false;
};

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
      {"quiet", "", "no progress and no summary", Scope::run, Kind::toggle,
       [](VerifyJob& job, std::string_view, std::string_view) { job.quiet = true; },
       [](const VerifyJob&) { return std::string(); }},
  };
  return options;
}

/// The same on every rank that reads the file.
VerifyPlan make_plan(const store::ImageReader& reader, const VerifyJob& request) {
  VerifyPlan plan{.job = job_of(reader, request.input)};
  plan.tiles = {plan.job.image.size_px, plan.job.tile_px};
  plan.rows = reader.tiles();
  for (std::size_t tile = 0; tile < plan.rows.size(); ++tile) {
    if (plan.rows[tile].rank >= 0) plan.stored.push_back(static_cast<std::int64_t>(tile));
  }
  std::vector<std::int64_t> items(plan.stored.size());
  std::iota(items.begin(), items.end(), std::int64_t{0});
  std::vector<std::int64_t> chosen;
  std::mt19937_64 random(request.seed);
  std::sample(items.begin(), items.end(), std::back_inserter(chosen), request.sample, random);
  for (const std::int64_t item : chosen) {
    const auto height = plan.tiles.rect(plan.stored[static_cast<std::size_t>(item)]).height;
    const std::int64_t last_start = std::max<std::int64_t>(0, height - kSampledRows);
    plan.sample[item] = std::uniform_int_distribution<std::int64_t>(0, last_start)(random);
  }
  return plan;
}

std::string other_device(const VerifyPlan& plan) {
  const bool reference = std::any_of(plan.rows.begin(), plan.rows.end(), [](const auto& row) {
    return row.device.starts_with("reference");
  });
  return reference ? "cpu" : "reference";
}

void report_result(const VerifyPlan& plan, const VerifyJob& request,
                   const std::vector<std::string>& problems, const std::string& device) {
  for (std::size_t i = 0; i < std::min(problems.size(), kMostPrinted); ++i) {
    fmt::print(stderr, "{}: {}\n", request.input, problems[i]);
  }
  if (!problems.empty()) {
    throw base::run_error("{}: {} of {} stored tiles are damaged or wrong", request.input,
                          problems.size(), plan.stored.size());
  }
  if (request.quiet) return;
  fmt::print("{}: {} of {} tiles stored, all checksums right\n", request.input, plan.stored.size(),
             plan.tiles.count());
  fmt::print("{}: {} rows of {} tiles computed again on {}: the same bits\n", request.input,
             kSampledRows, plan.sample.size(), device);
}

base::ExitCode verify(comm::World& world, const VerifyJob& base_job,
                      const std::vector<job::Given>& given) {
  VerifyJob request = base_job;
  std::unique_ptr<store::ImageReader> reader;
  VerifyPlan plan;
  std::optional<Lanes> lanes;
  agree(world, [&] {
    apply_options(request, verify_options(), std::span<const job::Given>(given));
    reader = open_shared_input(world, request.input);
    if (reader) plan = make_plan(*reader, request);
    if (request.device.empty()) request.device = other_device(plan);
    lanes.emplace(request.device, request.threads, world);
  });
  VerifyWork work(reader.get(), plan, *lanes);
  const int everywhere = total_lanes(world, work.lanes());
  if (!world.is_root()) {
    run_farm(world, work, {}, nullptr);
    agree(world, [] {});
    return base::ExitCode::done;
  }
  std::vector<float> costs(plan.stored.size(), 1.0F);
  for (const auto& [item, row] : plan.sample) costs[static_cast<std::size_t>(item)] = 100.0F;
  plan::Schedule schedule(std::move(costs), everywhere, plan::Order::dearest_first);
  VerifySink sink;
  {
    Progress progress("verify", request.quiet);
    Gather gather{schedule, sink, [&](double share) { progress.show(share); }};
    run_farm(world, work, {}, &gather);
  }
  agree(world, [&] { report_result(plan, request, sink.problems(), lanes->names()); });
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
