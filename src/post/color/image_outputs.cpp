#include "post/color/image_outputs.hpp"

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
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

/// What helps where the file of another image is in the way.
std::string remedy(job::RenderJob job) {
  const bool deep = job.image.deep();
  job.image.arithmetic = job::Arithmetic::plain;
  const auto found = store::find_image(job.output, job::fingerprint(job));
  return deep && found.what != store::FoundImage::What::other
             ? "it is of plain arithmetic: --arithmetic plain keeps it, --overwrite replaces it"
             : "--overwrite replaces it";
}

store::FoundImage look_for_image(const job::RenderJob& job, const std::string& what) {
  using What = store::FoundImage::What;
  store::FoundImage found = store::find_image(job.output, job::fingerprint(job));
  if (job.overwrite) return {};
  if (found.what == What::other) {
    const bool named = found.at == job.output && !job.picture_only;
    throw base::usage_error("{}: {}{}; {}", asked_by(job, what), named ? "" : found.at + " ",
                            found.detail, remedy(job));
  }
  if (job.resume && found.what == What::nothing) {
    throw base::missing_error("--resume: there is neither {} nor {}", job.output,
                              base::part_path(job.output));
  }
  return found;
}

/// A picture of the image may be replaced where the data is complete, or where there is none.
void check_picture_output(const job::RenderJob& job, bool complete) {
  if (job.png.empty()) return;
  const bool replaces_own = complete || job.picture_only;
  store::check_output(job.png, "--png", job.overwrite || replaces_own);
  if (job.overwrite || find_picture(job) != FoundPicture::other) return;
  throw base::usage_error(
      "--png {}: is there already, and no picture that Tessera made of the whole of {}; "
      "--overwrite replaces it",
      job.png, job.picture_only ? "this image" : job.output);
}

/// The attribute `tile` of an image, finished or not; 0 where nothing can be read.
int tile_said_by(const std::string& path) {
  const std::string part = base::part_path(path);
  for (const std::string& file : {path, part}) {
    if (!base::exists(file)) continue;
    try {
      const std::string text = store::open_image(file)->attribute("tile");
      return static_cast<int>(base::parse_integer(text, file, 1, job::kLargestTilePx));
    } catch (const base::Error&) {
      return 0;  // look_for_image() says what is wrong with it
    }
  }
  return 0;
}

}  // namespace

bool has_counts_only(job::RenderJob job) {
  using What = store::FoundImage::What;
  if (!job.smooth_by_default || job.distance > 0 || job.overwrite) return false;
  if (store::find_image(job.output, job::fingerprint(job)).what != What::other) return false;
  job.fields = {job::Field::iterations};
  return store::find_image(job.output, job::fingerprint(job)).what != What::other;
}

int tile_of_output(job::RenderJob job) {
  if (job.overwrite) return 0;
  const auto is_there = [&job](int tile_px) {
    using What = store::FoundImage::What;
    job.tile_px = tile_px;
    const What image = store::find_image(job.output, job::fingerprint(job)).what;
    if (image == What::complete || image == What::unfinished) return true;
    const FoundPicture picture = job.picture_only ? find_picture(job) : FoundPicture::none;
    return picture == FoundPicture::right || has_counts_only(job);
  };
  for (int tile_px = plan::kUsualTilePx; tile_px <= plan::kLargestAutoTilePx; tile_px *= 2) {
    if (is_there(tile_px)) return tile_px;
  }
  const int given = tile_said_by(job.output);
  return given != 0 && is_there(given) ? given : 0;
}

store::FoundImage check_render_outputs(const job::RenderJob& job, const plan::TileGrid& tiles,
                                       const std::string& what) {
  store::check_output(job.picture_only ? job.png : job.output, job.picture_only ? "--png" : what,
                      true);
  store::FoundImage found = look_for_image(job, what);
  const bool complete = found.what == store::FoundImage::What::complete;
  const std::string part = base::part_path(job.output);
  check_picture_output(job, complete);
  store::check_text_outputs({{"--report", job.report, base::kReport},
                             {"--trace", job.trace, base::kTrace},
                             {"--report-html", job.report_html, base::kPage}},
                            job.overwrite);

  if (complete) return found;
  const double least = plan::file_size_range(job, tiles).least_bytes;
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
