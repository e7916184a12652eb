#include "post/color/image_outputs.hpp"

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/file/output_name.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "job/image/fingerprint.hpp"
#include "job/image/options.hpp"
#include "plan/file_size.hpp"
#include "plan/tile_choice.hpp"
#include "post/color/picture.hpp"
#include "store/image/formats.hpp"
#include "store/outputs.hpp"

namespace tessera::post {
namespace {

/// The output in messages, with the option or argument that asked for it.
std::string asked_by(const job::RenderJob& job, const std::string& what) {
  return job.picture_only ? "--png " + job.png : what + " " + job.output;
}

/// Whether the image is this job's, finished or not.
bool is_of(const job::RenderJob& job, const store::ImageOnDisk& image) {
  using What = store::FoundImage::What;
  const What what = store::compare(image, job::fingerprint(job)).what;
  return what == What::complete || what == What::unfinished;
}

/// Advice where the file of another image is in the way.
std::string remedy(job::RenderJob job, const store::ImageOnDisk& image) {
  const bool deep = job.image.deep();
  job.image.arithmetic = job::Arithmetic::plain;
  return deep && is_of(job, image)
             ? "it is of plain arithmetic: --arithmetic plain keeps it, --overwrite replaces it"
             : "--overwrite replaces it";
}

store::FoundImage check_image(const job::RenderJob& job, const store::ImageOnDisk& image,
                              const std::string& what) {
  using What = store::FoundImage::What;
  if (job.overwrite) return {};
  store::FoundImage found = store::compare(image, job::fingerprint(job));
  if (found.what == What::other) {
    const bool named = found.at == job.output && !job.picture_only;
    throw base::usage_error("{}: {}{}; {}", asked_by(job, what), named ? "" : found.at + " ",
                            found.detail, remedy(job, image));
  }
  if (job.resume && found.what == What::nothing) {
    throw base::missing_error("--resume: there is neither {} nor {}", job.output,
                              base::part_path(job.output));
  }
  return found;
}

/// A picture of the image may be replaced where the data is complete, or where there is none.
void check_picture_output(const job::RenderJob& job, const store::PictureOnDisk& picture,
                          bool complete) {
  if (job.png.empty()) return;
  const bool replaces_own = complete || job.picture_only;
  store::check_output(job.png, "--png", job.overwrite || replaces_own);
  if (job.overwrite || compare(picture, job) != FoundPicture::other) return;
  throw base::usage_error("--png {}: exists and was not made from {}; --overwrite replaces it",
                          job.png, job.picture_only ? "this image" : job.output);
}

/// The attribute `tile` of the image; 0 where nothing can be read.
int tile_said_by(const store::ImageOnDisk& image) {
  using State = store::ImageOnDisk::State;
  if (image.state == State::nothing || image.state == State::foreign) return 0;
  try {
    const std::string text = store::open_image(image.at)->attribute("tile");
    return static_cast<int>(base::parse_integer(text, image.at, 1, job::kLargestTilePx));
  } catch (const base::Error&) {
    return 0;  // check_image() says what is wrong with it
  }
}

bool has_counts_only(job::RenderJob job, const store::ImageOnDisk& image) {
  if (!job.smooth_by_default || !job::shading_fields(job).empty() || is_of(job, image))
    return false;
  job.fields = {job::Field::iterations};
  return is_of(job, image);
}

/// Whether the job's image or picture is there, if its tiles have that size.
bool is_there(job::RenderJob job, const OutputsOnDisk& disk, int tile_px) {
  job.tile_px = tile_px;
  if (is_of(job, disk.image) || has_counts_only(job, disk.image)) return true;
  return job.picture_only && compare(disk.picture, job) == FoundPicture::right;
}

int tile_on_disk(const job::RenderJob& job, const OutputsOnDisk& disk) {
  for (int tile_px = plan::kMinAutoTilePx; tile_px <= plan::kLargestAutoTilePx; tile_px *= 2) {
    if (is_there(job, disk, tile_px)) return tile_px;
  }
  const int given = tile_said_by(disk.image);
  return given != 0 && is_there(job, disk, given) ? given : 0;
}

/// The attribute `iterations` of an image that is the job's but for them. Such an image was begun
/// when 1000 were the default at every depth.
std::uint64_t iterations_on_disk(job::RenderJob job, const OutputsOnDisk& disk) {
  using State = store::ImageOnDisk::State;
  const State state = disk.image.state;
  if (job.iterations_from != job::IterationsFrom::depth || state == State::nothing ||
      state == State::foreign) {
    return 0;
  }
  try {
    const std::string text = store::open_image(disk.image.at)->attribute("iterations");
    const auto iterations = static_cast<std::uint64_t>(
        base::parse_integer(text, disk.image.at, 1, std::int64_t{job::kMaxIterations}));
    if (iterations == job.image.iterations) return 0;
    job.image.iterations = iterations;
  } catch (const base::Error&) {
    return 0;  // check_image() says what is wrong with it
  }
  const bool there = job.tile_auto ? tile_on_disk(job, disk) > 0 : is_there(job, disk, job.tile_px);
  return there ? job.image.iterations : 0;
}

}  // namespace

OutputsOnDisk look_at_outputs(const job::RenderJob& job) {
  return {store::look_at_image(job.output), store::look_at_picture(job.png)};
}

TakenOver taken_over(const job::RenderJob& job, const OutputsOnDisk& disk) {
  if (job.overwrite) return {};
  TakenOver from;
  from.iterations = iterations_on_disk(job, disk);
  const job::RenderJob asked = adapted(job, from);
  if (job.tile_auto) from.tile_px = tile_on_disk(asked, disk);
  from.counts_only = has_counts_only(adapted(job, from), disk.image);
  return from;
}

job::RenderJob adapted(job::RenderJob job, const TakenOver& from) {
  if (from.iterations > 0) job.image.iterations = from.iterations;
  if (from.tile_px > 0) {
    job.tile_px = from.tile_px;
    job.tile_auto = false;
  }
  if (from.counts_only) job.fields = {job::Field::iterations};
  return job;
}

bool is_complete(const job::RenderJob& job, const store::FoundImage& found,
                 const OutputsOnDisk& disk) {
  if (found.what == store::FoundImage::What::complete) return true;
  return job.picture_only && !job.overwrite && compare(disk.picture, job) == FoundPicture::right;
}

store::FoundImage check_render_outputs(const job::RenderJob& job, const plan::TileGrid& tiles,
                                       const OutputsOnDisk& disk, const std::string& what) {
  const std::string& file = job.picture_only ? job.png : job.output;
  store::check_output(file, job.picture_only ? "--png" : what, true);
  store::check_distinct({{what, job.picture_only ? "" : file},
                         {"--png", job.png},
                         {"--report", job.report},
                         {"--trace", job.trace},
                         {"--report-html", job.report_html},
                         {what, job.picture_only ? "" : base::parts_folder(file)}});
  store::FoundImage found = check_image(job, disk.image, what);
  const bool complete = found.what == store::FoundImage::What::complete;
  const std::string part = base::part_path(job.output);
  check_picture_output(job, disk.picture, complete);
  store::check_text_outputs({{"--report", job.report, base::kReport},
                             {"--trace", job.trace, base::kTrace},
                             {"--report-html", job.report_html, base::kPage}},
                            job.overwrite);

  if (complete) return found;
  const double least = plan::file_size_range(job, tiles).min_bytes;
  std::error_code error;
  const auto space =
      std::filesystem::space(base::existing_folder_of(base::target_of(job.output)), error);
  if (error) return found;
  // An unfinished file of an earlier run is replaced first.
  const auto left_over = std::filesystem::file_size(part, error);
  const auto available = static_cast<double>(space.available + (error ? 0 : left_over));
  if (available < least) {
    const auto [free, needed] = base::format_different_bytes(available, least);
    throw base::usage_error("{}: {} free on that disk, the file needs {} at the very least",
                            asked_by(job, what), free, needed);
  }
  return found;
}

}  // namespace tessera::post
