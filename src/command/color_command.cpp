#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "command/arguments.hpp"
#include "command/command_line.hpp"
#include "farm/lost_ranks.hpp"
#include "farm/thread_reports.hpp"
#include "job/command_line.hpp"
#include "post/color.hpp"
#include "report/printers.hpp"
#include "store/outputs.hpp"

namespace tessera::command {
namespace {

constexpr std::int64_t kMostScale = 1024;

base::PixelRect parse_region(std::string_view text, std::string_view what) {
  const auto parts = base::split(text, ',');
  if (parts.size() != 4) {
    throw base::usage_error("{}: '{}' is not X,Y,W,H in pixels", what, text);
  }
  const auto number = [&](std::size_t i, std::int64_t low) {
    return base::parse_integer(parts[i], what, low, 0x7FFFFFFF);
  };
  return {number(0, 0), number(1, 0), number(2, 1), number(3, 1)};
}

/// "1/8" or "0.125": one over a whole number.
int parse_scale(std::string_view text, std::string_view what) {
  const auto slash = text.find('/');
  double factor = 0;
  if (slash != std::string_view::npos && base::trim(text.substr(0, slash)) == "1") {
    factor = static_cast<double>(base::parse_integer(text.substr(slash + 1), what, 1, kMostScale));
  } else {
    factor = 1 / base::parse_real(text, what);
  }
  const double whole = std::round(factor);
  if (!(whole >= 1 && whole <= kMostScale) || std::abs(factor - whole) > 1e-6 * whole) {
    throw base::usage_error("{}: '{}' is not one over a whole number, such as 1/8 or 0.125", what,
                            text);
  }
  return static_cast<int>(whole);
}

std::span<const job::Option<post::ColorJob>> color_options() {
  using job::Kind;
  using job::Scope;
  static const std::vector<job::Option<post::ColorJob>> options = {
      {"palette", "NAME", "palette, or a file of colours", Scope::image, Kind::text,
       [](post::ColorJob& job, std::string_view text, std::string_view) { job.palette = text; },
       [](const post::ColorJob& job) { return job.palette; }},
      {"field", "NAME", "iterations or smooth; smooth where there is one", Scope::image, Kind::text,
       [](post::ColorJob& job, std::string_view text, std::string_view what) {
         if (text != "iterations" && text != "smooth") {
           throw base::usage_error("{}: '{}' is neither iterations nor smooth", what, text);
         }
         job.field = text;
       },
       [](const post::ColorJob& job) { return job.field; }},
      {"region", "X,Y,W,H", "part of the image, in its pixels; all of it", Scope::image, Kind::text,
       [](post::ColorJob& job, std::string_view text, std::string_view what) {
         job.region = parse_region(text, what);
       },
       [](const post::ColorJob&) { return std::string(); }},
      {"scale", "1/N", "average N x N pixels into one", Scope::image, Kind::text,
       [](post::ColorJob& job, std::string_view text, std::string_view what) {
         job.scale = parse_scale(text, what);
       },
       [](const post::ColorJob& job) { return fmt::format("1/{}", job.scale); }},
      {"threads", "N", "worker threads of each rank; 0 = all it may use", Scope::run, Kind::number,
       [](post::ColorJob& job, std::string_view text, std::string_view what) {
         job.threads = static_cast<int>(base::parse_integer(text, what, 0, 1024));
       },
       [](const post::ColorJob& job) { return std::to_string(job.threads); }},
      {"memory", "SIZE", "bound of each rank's memory", Scope::run, Kind::number,
       [](post::ColorJob& job, std::string_view text, std::string_view what) {
         job.memory_bytes = base::parse_bytes(text, what);
       },
       [](const post::ColorJob& job) { return fmt::format("{}M", job.memory_bytes >> 20); }},
      {"report", "FILE.json", "timings for machines", Scope::run, Kind::text,
       [](post::ColorJob& job, std::string_view text, std::string_view) { job.report = text; },
       [](const post::ColorJob& job) { return job.report; }},
      {"trace", "FILE.json", "timeline for Perfetto", Scope::run, Kind::text,
       [](post::ColorJob& job, std::string_view text, std::string_view) { job.trace = text; },
       [](const post::ColorJob& job) { return job.trace; }},
      {"overwrite", "", "replace the picture if it is there", Scope::output, Kind::toggle,
       [](post::ColorJob& job, std::string_view, std::string_view) { job.overwrite = true; },
       [](const post::ColorJob&) { return std::string(); }},
      {"quiet", "", "no progress and no summary", Scope::run, Kind::toggle,
       [](post::ColorJob& job, std::string_view, std::string_view) { job.quiet = true; },
       [](const post::ColorJob&) { return std::string(); }},
  };
  return options;
}

struct ColorArguments {
  post::ColorJob job;
  std::vector<job::Given> given;
};

/// The job as text, for the report.
std::vector<std::pair<std::string, std::string>> describe(const post::ColorJob& job) {
  std::vector<std::pair<std::string, std::string>> keys = {{"input", job.input}};
  for (const auto& option : color_options()) {
    if (std::string value = option.get(job); !value.empty()) {
      keys.emplace_back(option.name, std::move(value));
    }
  }
  return keys;
}

void print(const post::ColorJob& job, const report::RunReport& run,
           const base::ImageSize& size_px) {
  if (!job.report.empty()) report::write_text_file(job.report, report::to_json(run));
  if (!job.trace.empty())
    report::write_text_file(job.trace, report::to_trace(run.command, run.version, run.ranks));
  if (job.quiet) return;
  fmt::print("{}: {} x {} pixels in {}, {}px/s\n", job.output, size_px.width, size_px.height,
             base::format_seconds(run.wall_s),
             base::format_count(static_cast<double>(size_px.pixels()) / run.wall_s));
}

base::ExitCode color(comm::World& world, const ColorArguments& arguments) {
  post::ColorJob job = arguments.job;
  comm::agree(world, [&] {
    apply_options(job, color_options(), std::span<const job::Given>(arguments.given));
    if (!world.is_root()) return;
    store::check_distinct({{"FILE.h5", job.input},
                           {"OUT.png", job.output},
                           {"--report", job.report},
                           {"--trace", job.trace}});
    store::check_output(job.output, "OUT.png", job.overwrite);
    if (!job.report.empty()) store::check_text_output(job.report, "--report");
    if (!job.trace.empty()) store::check_text_output(job.trace, "--trace");
    base::pause_if_ordered("output.checked");
  });
  post::ColorResult result = post::color_file(world, job);
  report::RunReport run{.command = "color",
                        .version = base::version_and_commit(),
                        .wall_s = base::seconds_between(world.origin(), base::Clock::now()),
                        .job = describe(job),
                        .outputs = {{"png", job.output}}};
  run.ranks = farm::gather_reports(world, {.device = "cpu", .threads = std::move(result.threads)});
  run.in_flight = farm::in_flight_of(world, result.repeats);
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    run.output_bytes = std::filesystem::file_size(job.output);
    print(job, run, result.size_px);
  });
  return base::ExitCode::done;
}

}  // namespace

void add_color(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ColorArguments>();
  app.add_option("FILE.h5", arguments->job.input, "a rendered file")->required();
  app.add_option("OUT.png", arguments->job.output, "the picture")->required();
  job::add_options(app, color_options(), arguments->given);
  app.callback([arguments, &action] {
    action = [arguments](comm::World& world) { return color(world, *arguments); };
  });
}

}  // namespace tessera::command
