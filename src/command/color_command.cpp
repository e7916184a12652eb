#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "command/command_line.hpp"
#include "command/picture_run.hpp"
#include "command/render_command.hpp"
#include "job/image/color_job.hpp"
#include "job/values.hpp"
#include "post/color/color.hpp"
#include "store/outputs.hpp"
#include "store/picture/picture_format.hpp"

namespace tessera::command {
namespace {

constexpr const char* kOutput = "OUT.png";

struct ColorArguments {
  job::ColorJob job;
  std::vector<job::Given> given;
};

std::string line_of(const report::RunReport& run, const std::string& output,
                    const base::ImageSize& size_px) {
  return fmt::format("{}: {} x {} pixels in {}, {}px/s\n", output, size_px.width, size_px.height,
                     base::format_seconds(run.wall_s),
                     base::format_count(static_cast<double>(size_px.pixels()) / run.wall_s));
}

bool writes_stdout(const job::ColorJob& job) {
  return base::is_standard_output(job.output);
}

/// Standard output has room for one document.
void check_stdout(const comm::World& world, const job::ColorJob& job) {
  // A launcher may put a terminal of its own between the ranks and the real output.
  if (!world.has_launcher()) store::check_binary_stdout(kOutput);
  const bool taken =
      job.json || base::is_standard_output(job.report) || base::is_standard_output(job.trace);
  if (!taken) return;
  throw base::usage_error("OUT.png -: {} writes to standard output, too; name a file",
                          job.json ? "--json" : "another option");
}

void check_picture_output(const comm::World& world, const job::ColorJob& job) {
  if (writes_stdout(job)) return check_stdout(world, job);
  store::check_output(job.output, kOutput, job.overwrite);
}

/// By the suffix.
void check_format(const job::ColorJob& job) {
  const store::PictureFormat& format = store::picture_format_of(job.output);
  if (&format == &store::picture_formats().front()) {
    job::check_suffix(job.output, kOutput, ".png",
                      "PNG, TIFF and EXR are written; use a name that ends in .png, .tif or .exr");
  }
  if (!format.has_values || job.scale == 1) return;
  throw base::usage_error(
      "--scale 1/{}: the values in {} are not averaged; --region takes a part of the image",
      job.scale, job.output);
}

void check(const comm::World& world, job::ColorJob& job, const ColorArguments& arguments) {
  job::apply_options<job::ColorJob>(job, job::color_options(), arguments.given);
  if (!writes_stdout(job)) check_format(job);
  if (!world.is_root()) return;
  store::check_distinct({{"FILE.h5", job.input},
                         {kOutput, job.output},
                         {"--report", job.report},
                         {"--trace", job.trace}});
  check_picture_output(world, job);
}

base::ExitCode color(comm::World& world, const ColorArguments& arguments) {
  job::ColorJob job = arguments.job;
  base::ImageSize size_px;
  return run_pictures(world,
                      {.command = "color",
                       .label = "colour",
                       .job = job,
                       .overwrite = job.overwrite,
                       .check = [&] { check(world, job, arguments); },
                       .make = [&](report::RunReport& run) -> MadePictures {
                         post::ColorResult result = post::color_file(world, job);
                         size_px = result.size_px;
                         run.job = job::describe(job);
                         run.outputs = {{"png", job.output}};
                         return {std::move(result.threads), result.repeats, result.output_bytes};
                       },
                       .line =
                           [&](const report::RunReport& run) {
                             return writes_stdout(job) ? "" : line_of(run, job.output, size_px);
                           }});
}

}  // namespace

void add_color(Syntax& syntax, Action& action) {
  auto arguments = std::make_shared<ColorArguments>();
  syntax.add_argument("FILE.h5", arguments->job.input, "a rendered file");
  syntax.add_argument("OUT.png", arguments->job.output,
                      "the picture to write, also as OUT.tif, or its values as OUT.exr; - = "
                      "standard output, as PNG");
  add_palette_names(syntax);
  syntax.add_options(job::color_options(), arguments->given);
  set_action(syntax, action,
             [arguments](run::Context& context) { return color(context.world, *arguments); });
}

}  // namespace tessera::command
