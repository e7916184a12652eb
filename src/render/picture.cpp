#include "render/picture.hpp"

#include <fmt/format.h>

#include "base/run.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/image/color_job.hpp"
#include "post/color/band_plan.hpp"
#include "post/color/color.hpp"
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
bool lacks_picture(const job::RenderJob& job, const store::PictureOnDisk& there,
                   job::ColorJob& color) {
  if (job.overwrite) return true;
  const post::FoundPicture found = post::compare(there, job);
  const bool replaces_own = found == post::FoundPicture::ours;
  color.overwrite = replaces_own;
  if (replaces_own && !job.quiet) {
    base::log("render: {} has other colours and is replaced", job.png);
  }
  return found != post::FoundPicture::right;
}

}  // namespace

void check_picture(const job::RenderJob& job, const plan::TileGrid& tiles) {
  post::palette_of(job);
  const job::Field field = job::colored_field(job.fields);
  post::plan_bands({.region = {0, 0, job.image.size_px.width, job.image.size_px.height},
                    .scale = job.supersample,
                    .chunk_px = tiles.chunk_px(),
                    .type = job::field_type(job.image, field),
                    .pixel_bytes = static_cast<std::size_t>(3 * job.png_depth / 8),
                    .file = &store::picture_format_of(job.png),
                    .beside = static_cast<int>(job::shading_fields(job).size()),
                    .memory_bytes = job.memory_bytes});
}

std::vector<report::ThreadReport> make_picture(comm::World& world, const job::RenderJob& job,
                                               const store::PictureOnDisk& there) {
  bool missing = false;
  job::ColorJob color = color_job(job);
  comm::agree(world, [&] {
    if (world.is_root() && !job.png.empty()) missing = lacks_picture(job, there, color);
  });
  std::vector<report::ThreadReport> threads;
  if (comm::broadcast_value(world, missing)) threads = post::color_file(world, color).threads;
  return threads;
}

}  // namespace tessera::render
