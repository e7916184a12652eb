#include "post/color/overview.hpp"

#include <algorithm>
#include <span>

#include "base/file/record_file.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "post/color/color.hpp"
#include "store/image/formats.hpp"

namespace tessera::post {
namespace {

int scale_of(const std::string& input, const base::ImageSize& max_px) {
  const base::ImageSize all = store::open_image(input)->header().size_px;
  const auto parts = [](std::int64_t side, std::int64_t most) { return (side + most - 1) / most; };
  const std::int64_t scale =
      std::max(parts(all.width, max_px.width), parts(all.height, max_px.height));
  return static_cast<int>(std::min({scale, all.width, all.height}));
}

}  // namespace

std::string overview_png(comm::World& world, const std::string& input, job::ColorJob job,
                         const base::ImageSize& max_px) {
  job.input = input;
  job.quiet = true;
  job.output = "overview.png";
  job.trace = job.report_html = "";
  comm::agree(world, [&] {
    if (world.is_root()) job.scale = scale_of(input, max_px);
  });
  job.scale = comm::broadcast_value(world, job.scale);
  std::string png;
  color_into([&](std::span<const std::byte> bytes) { png += base::text_of(bytes); }, world, job);
  return png;
}

std::string overview_of(comm::World& world, const job::RenderJob& job, const std::string& file) {
  job::ColorJob color;
  static_cast<job::RunSpec&>(color) = job;
  static_cast<job::Coloring&>(color) = job;
  return overview_png(world, file, color, kOverviewPx);
}

}  // namespace tessera::post
