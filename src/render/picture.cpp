#include "render/picture.hpp"

#include <fmt/format.h>

#include "base/file/posix_file.hpp"
#include "base/run.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/image/color_job.hpp"
#include "post/color/band_plan.hpp"
#include "post/color/color.hpp"
#include "post/color/image_outputs.hpp"
#include "post/color/picture.hpp"

namespace tessera::render {
namespace {

job::ColorJob color_job(const job::RenderJob& job) {
  job::ColorJob color;
  static_cast<job::RunSpec&>(color) = job;
  color.input = job.output;
  color.output = job.png;
  static_cast<job::Coloring&>(color) = job;
  color.scale = job.supersample;
  color.overwrite = job.overwrite;
  color.keeps_input = !job.picture_only;
  return color;
}

/// Whether the picture has to be made: it is missing, or it is another picture of the same image,
/// which may be replaced.
bool lacks_picture(const job::RenderJob& job, job::ColorJob& color) {
  if (job.png.empty() || job.overwrite) return job.overwrite && !job.png.empty();
  const post::FoundPicture found = post::find_picture(job);
  const bool replaces_own = found == post::FoundPicture::ours;
  color.overwrite = replaces_own;
  if (replaces_own && !job.quiet) {
    base::log("render: {} has other colours and is replaced", job.png);
  }
  return found != post::FoundPicture::right;
}

}  // namespace

job::RenderJob adapt_to_file(comm::World& world, job::RenderJob job) {
  bool counts = false;
  comm::agree(world, [&] { counts = world.is_root() && post::has_counts_only(job); });
  if (!comm::broadcast_value(world, counts)) return job;
  job.fields = {job::Field::iterations};
  if (world.is_root() && !job.quiet) {
    base::log("render: {} has no smooth values; the picture is made of its counts", job.output);
  }
  return job;
}

void check_picture(const job::RenderJob& job, const plan::TileGrid& tiles) {
  post::palette_of(job);
  const job::Field field = job::colored_field(job.fields);
  post::plan_bands({.region = {0, 0, job.image.size_px.width, job.image.size_px.height},
                    .scale = job.supersample,
                    .chunk_px = tiles.chunk_px(),
                    .type = job::field_type(job.image, field),
                    .pixel_bytes = static_cast<std::size_t>(3 * job.png_depth / 8),
                    .distances = job.distance > 0,
                    .memory_bytes = job.memory_bytes});
}

bool is_complete(const job::RenderJob& job, const store::FoundImage& before) {
  if (before.what == store::FoundImage::What::complete) return true;
  return job.picture_only && !job.overwrite && post::find_picture(job) == post::FoundPicture::right;
}

std::vector<report::ThreadReport> make_picture(comm::World& world, const job::RenderJob& job,
                                               bool may_be_there) {
  bool wanted = !job.png.empty();
  job::ColorJob color = color_job(job);
  comm::agree(world, [&] {
    if (world.is_root() && may_be_there) wanted = lacks_picture(job, color);
  });
  std::vector<report::ThreadReport> threads;
  if (comm::broadcast_value(world, wanted)) threads = post::color_file(world, color).threads;
  if (world.is_root() && job.picture_only) base::remove_file(job.output);
  return threads;
}

}  // namespace tessera::render
