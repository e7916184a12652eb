// tessera verify: checks a file, and with --repair renders its damaged tiles again.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/file/file_stamp.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "command/command_line.hpp"
#include "command/stop_signals.hpp"
#include "job/image/fingerprint.hpp"
#include "job/image/verify_job.hpp"
#include "post/job_of_file.hpp"
#include "post/verify/verify.hpp"
#include "render/render.hpp"
#include "store/image/formats.hpp"
#include "store/image/parts.hpp"

namespace tessera::command {
namespace {

/// A repair that was stopped has left the file under another name only.
bool is_begun(const job::VerifyJob& job) {
  return !base::exists(job.input) && !store::unfinished_image(job.input).empty();
}

/// The job that makes an image, for other ranks.
struct ImageText {
  std::string options;  ///< one a line
  post::Provenance provenance;

  static auto members(auto& self) { return std::tie(self.options, self.provenance); }
};

/// Throws if the render would take the file for one of another image.
ImageText read_image(const job::VerifyJob& job) {
  const std::string path = is_begun(job) ? store::unfinished_image(job.input) : job.input;
  const auto reader = store::open_image(path);
  if (!is_begun(job) && reader->attribute("status") != "complete") {
    throw base::usage_error("{}: is not complete; the command that rendered it repairs it", path);
  }
  job::RenderJob image = post::job_of(*reader, path);
  if (reader->attribute("fingerprint") != job::fingerprint(image)) {
    throw base::usage_error(
        "{}: its fingerprint is not that of its attributes; only rendering the image again with "
        "--overwrite repairs it",
        path);
  }
  ImageText text{.provenance = post::provenance_of(*reader)};
  post::set_provenance(image, {});
  for (const auto& [name, value] : job::describe(image)) {
    text.options += fmt::format("{}={}\n", name, value);
  }
  return text;
}

job::RenderJob make_repair_job(const job::VerifyJob& job, const ImageText& image) {
  std::vector<job::Given> given;
  for (const std::string& line : base::split(image.options, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos) continue;
    given.push_back({line.substr(0, equals), line.substr(equals + 1), job.input});
  }
  job::RenderJob render = job::make_render_job(given);
  post::set_provenance(render, image.provenance);
  static_cast<job::RunSpec&>(render) = job;
  if (!job.sample_device.empty()) render.device = job.sample_device;
  render.output = job.input;
  return render;
}

/// The file gets its name back if the render was refused before it wrote into it.
void put_back(const std::string& file, const base::FileStamp& found) {
  const std::string part = base::part_path(file);
  if (base::stamp_of(part) != found) return;
  base::publish_file(part, file, base::identity_of(part), base::Replace::nothing);
}

/// Collective. As an unfinished file, an image is completed by a render, which checks every tile.
void repair(run::Context& context, const job::VerifyJob& job) {
  comm::World& world = context.world;
  ImageText image;
  std::optional<base::FileStamp> taken;
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    image = read_image(job);
    if (is_begun(job)) return;
    if (!store::joined_parts_folder(job.input).empty()) return store::reopen_parts(job.input);
    taken = base::stamp_of(job.input);
    base::publish_file(job.input, base::part_path(job.input), base::identity_of(job.input),
                       base::Replace::nothing);
  });
  image = comm::broadcast_value(world, image);
  report::RunReport run;
  try {
    job::RenderJob render;
    comm::agree(world, [&] { render = make_repair_job(job, image); });
    listen_for_stop(context.run.stop);
    run = render::render(context, render);
  } catch (const base::Error&) {
    if (taken) put_back(job.input, *taken);
    throw;
  }
  if (!world.is_root() || job.quiet || job.json) return;
  fmt::print("{}: {} rendered again\n", job.input,
             base::count_of(report::totals(run.ranks).tiles, "tile"));
}

base::ExitCode verify_file(run::Context& context, const job::VerifyJob& job) {
  comm::World& world = context.world;
  bool begun = false;
  comm::agree(world, [&] { begun = world.is_root() && job.repair && is_begun(job); });
  std::string damage;
  if (!comm::broadcast_value(world, begun)) {
    damage = post::verify(world, job);
    if (damage.empty()) return base::ExitCode::done;
  }
  std::string advice = "run: tessera verify --repair " + job.input;
  if (job.repair) {
    repair(context, job);
    job::VerifyJob again = job;
    again.repair = false;
    damage = post::verify(world, again);
    advice = "only rendering the image again with --overwrite repairs it";
  }
  comm::agree(world, [&] {
    if (!world.is_root() || damage.empty()) return;
    throw base::run_error("{}: {}; {}", job.input, damage, advice);
  });
  return base::ExitCode::done;
}

}  // namespace

void add_verify(Syntax& syntax, Action& action) {
  struct Arguments {
    job::VerifyJob job;
    std::vector<job::Given> given;
  };
  auto arguments = std::make_shared<Arguments>();
  syntax.add_argument("FILE.h5", arguments->job.input, "a rendered file");
  syntax.add_options(job::verify_options(), arguments->given);
  set_action(syntax, action, [arguments](run::Context& context) {
    job::VerifyJob job = arguments->job;
    comm::agree(context.world, [&] {
      job::apply_options<job::VerifyJob>(job, job::verify_options(), arguments->given);
    });
    return verify_file(context, job);
  });
}

}  // namespace tessera::command
