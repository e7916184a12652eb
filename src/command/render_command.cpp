#include "command/render_command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "base/file/posix_file.hpp"
#include "base/file/text_kind.hpp"
#include "base/text.hpp"
#include "color/palette.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "command/command_line.hpp"
#include "command/from_option.hpp"
#include "command/page/run_page.hpp"
#include "command/site_defaults.hpp"
#include "command/stop_signals.hpp"
#include "farm/stopped_run.hpp"
#include "job/image/film_file.hpp"
#include "job/image/resolution.hpp"
#include "job/job_file.hpp"
#include "job/run_options.hpp"
#include "place/read.hpp"
#include "pool/pool.hpp"
#include "render/file_sink.hpp"
#include "render/film.hpp"
#include "render/render.hpp"
#include "report/printers.hpp"
#include "report/starts.hpp"
#include "store/outputs.hpp"

namespace tessera::command {

namespace {

/// Collective. Only the gather rank has the text of standard input.
std::string take_job_text(comm::World& world, const std::string& path) {
  const bool shared = path == base::kStandardInput;
  std::string text;
  comm::agree(world, [&] {
    if (!path.empty() && (world.is_root() || !shared)) text = job::read_job_text(path);
  });
  return shared ? comm::broadcast_value(world, text) : text;
}

}  // namespace

std::vector<job::Given> RenderArguments::all_given(comm::World& world) const {
  const std::string text = take_job_text(world, job_file);
  const std::string name = job_file == base::kStandardInput ? "standard input" : job_file;
  std::vector<job::Given> all;
  std::optional<place::Place> place;
  comm::agree(world, [&] {
    if (place::is_foreign(text)) {
      place = place::read_text(text, name);
      all.push_back({"from", job_file, "JOB.toml"});
    } else {
      all = job::parse_job_text(name, text, job::render_options(), job::kFilmTable);
      job::check_film_table(name, text);
    }
    all.insert(all.end(), given.begin(), given.end());
  });
  if (from_standard_input(all) && !place) {
    const std::string piped = take_job_text(world, std::string(base::kStandardInput));
    comm::agree(world, [&] { place = place::read_text(piped, "standard input"); });
  }
  comm::agree(world, [&] {
    const std::string summary = add_from(all, std::move(place));
    if (!summary.empty() && world.is_root() && !is_quiet(all)) {
      fmt::print(stderr, "tessera: {}\n", summary);
    }
    all.insert(all.begin(), defaults.begin(), defaults.end());
  });
  return all;
}

job::RenderJob RenderArguments::make_job(comm::World& world) const {
  const std::vector<job::Given> all = all_given(world);
  job::RenderJob job;
  comm::agree(world, [&] {
    job = job::make_render_job(all);
    store::check_distinct({{"JOB.toml", job_file}, {"--output", job.output}, {"--png", job.png}});
  });
  const auto own = all.begin() + std::ssize(defaults);
  job.defaults = defaults_text(defaults, {own, all.end()});
  return job;
}

void add_palette_names(Syntax& syntax) {
  std::vector<std::string> names;
  for (const color::Palette& palette : color::builtin_palettes()) names.push_back(palette.name);
  syntax.add_note("palette", ": " + base::join(names));
}

std::shared_ptr<RenderArguments> add_render_arguments(Syntax& syntax,
                                                      std::span<const std::string_view> shown) {
  auto arguments = std::make_shared<RenderArguments>();
  syntax.add_optional_argument("JOB.toml", arguments->job_file,
                               "a job file (- is standard input); its keys are the options below");
  add_palette_names(syntax);
  syntax.add_options(job::render_options(), arguments->given, shown, &arguments->defaults);
  return arguments;
}

namespace {

void warn_of_rounding(const job::RenderJob& job) {
  const std::string center = job::rounded_center(job);
  if (center.empty()) return;
  fmt::print(stderr, "tessera: --center {}: has more digits than 64-bit floats; rounded to {}\n",
             job.center_text, center);
}

/// Collective. Writes the report, the trace and the page of a run, also of one that was stopped.
void publish_run(comm::World& world, const job::RenderJob& job, report::LiveRun* live,
                 report::RunReport run, const std::string& overview) {
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    const bool stopped = !run.state.stopped.empty();
    if (!job.overwrite) {
      run.state.earlier =
          report::earlier_starts(job.report, run.command, run.job, &job::is_run_option);
    }
    report::publish(job, report::to_json(run), job.quiet || stopped ? "" : report::to_table(run));
    if (!job.trace.empty())
      report::write_text_file(job.trace, report::to_trace(run.command, run.version, run.ranks),
                              base::of_kind(base::kTrace));
    std::fflush(stdout);
  });
  if (!job.report_html.empty()) write_run_page(world, job, live, run, overview);
}

}  // namespace

void add_render(Syntax& syntax, Action& action) {
  const auto arguments = add_render_arguments(syntax);
  set_action(syntax, action, [arguments](run::Context& context) {
    comm::World& world = context.world;
    const job::RenderJob job = arguments->make_job(world);
    if (world.is_root() && !job.quiet) warn_of_rounding(job);
    if (!job.pool.empty()) {
      listen_for_stop(context.run.stop);
      pool::render(context, job);
      return base::ExitCode::done;
    }
    WatchedRun watched(world, job, "render", job.picture_only ? job.png : job.output, job.output,
                       job);
    if (watched.live()) watched.live()->set_options(job::describe(job));
    listen_for_stop(context.run.stop);
    render::FileSink sink;
    try {
      report::RunReport run = job.frames > 0 ? render::render_film(context, job)
                                             : render::render(context, job, sink, watched.live());
      watched.end(run.state.name);
      publish_run(world, job, watched.live(), std::move(run), sink.overview());
    } catch (farm::StoppedRun<report::RunReport>& stopped) {
      watched.end("stopped");
      publish_run(world, job, watched.live(), stopped.take_report(), "");
      throw;
    }
    return base::ExitCode::done;
  });
}

}  // namespace tessera::command
