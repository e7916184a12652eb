#include "post/color.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "binding/render_lanes.hpp"
#include "color/palette.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "device/cpu_threads.hpp"
#include "farm/farm.hpp"
#include "post/band_plan.hpp"
#include "post/band_work.hpp"
#include "post/picture.hpp"
#include "post/shared_input.hpp"

namespace tessera::post {
namespace {

/// The state of a rank before the picture is divided into bands.
struct Source {
  color::Palette palette;
  std::unique_ptr<store::ImageReader> reader;  ///< null if this rank cannot see the file;
  int lanes = 0;                               ///< then 0, and the members below are unset
  job::Field field = job::Field::iterations;
  base::ElementType type = base::ElementType::u16;
  std::uint32_t iterations = 1;
  base::PixelRect region;
};

std::pair<job::Field, base::ElementType> choose_field(const store::ImageHeader& header,
                                                      const job::ColorJob& job) {
  for (const job::Field field : {job::Field::smooth, job::Field::iterations}) {
    if (!job.field.empty() && job.field != job::field_name(field)) continue;
    for (const auto& [name, type] : header.fields) {
      if (name == field) return {field, type};
    }
  }
  throw base::missing_error("--field {}: {} has no such dataset", job.field, job.input);
}

base::PixelRect choose_region(const store::ImageHeader& header, const job::ColorJob& job) {
  const base::PixelRect all{0, 0, header.size_px.width, header.size_px.height};
  const base::PixelRect region = job.region.value_or(all);
  if (region.x + region.width > all.width || region.y + region.height > all.height) {
    throw base::usage_error("--region: reaches beyond the image, which is {}x{}", all.width,
                            all.height);
  }
  if (region.width < job.scale || region.height < job.scale) {
    throw base::usage_error("--scale 1/{}: leaves nothing of {}x{} pixels", job.scale, region.width,
                            region.height);
  }
  return region;
}

std::uint32_t iterations_of(const store::ImageReader& reader) {
  return static_cast<std::uint32_t>(
      base::parse_integer(reader.attribute("iterations"), "attribute iterations", 1, 0xFFFFFFFE));
}

Source open_source(comm::World& world, const job::ColorJob& job) {
  Source source;
  source.palette = color::find_palette(job.palette);
  const int lanes =
      device::cpu_threads(binding::place_of(world, job.threads), device::count_cores());
  source.reader = open_shared_input(world, job.input);
  if (!source.reader) return source;
  if (source.reader->attribute("status") != "complete") {
    throw base::usage_error("{}: is not complete; finish its rendering first", job.input);
  }
  source.lanes = lanes;
  std::tie(source.field, source.type) = choose_field(source.reader->header(), job);
  source.iterations = iterations_of(*source.reader);
  source.region = choose_region(source.reader->header(), job);
  return source;
}

/// Collective. All ranks use the same height of bands: the smallest that any rank can hold. On a
/// rank without lanes all members except the rows are zero.
BandBudget common_budget(comm::World& world, const job::ColorJob& job, const Source& source) {
  const int lanes_of_all = farm::total_lanes(world, source.lanes);
  BandRequest request{.region = source.region,
                      .scale = job.scale,
                      .type = source.type,
                      .memory_bytes = job.memory_bytes,
                      .lanes = source.lanes,
                      .lanes_of_all = lanes_of_all};
  std::int64_t rows = std::numeric_limits<std::int64_t>::max();
  comm::agree(world, [&] {
    if (!source.reader) return;
    request.chunk_px = source.reader->header().chunk_px();
    request.tiles = source.reader->header().grid().pixels();
    request.alongside_bytes = ColorWork::widest_alongside(source.reader->header(), source.field);
    rows = plan_bands(request).rows;
  });
  const auto fewest = [](std::int64_t a, std::int64_t b) { return std::min(a, b); };
  BandBudget budget{.rows = comm::all_reduce(world, rows, fewest)};
  comm::agree(world, [&] {
    if (source.reader) budget = plan_bands(request, budget.rows);
  });
  return budget;
}

/// The unfinished picture, on the gather rank.
struct Picture {
  store::PngWriter png;
  PngSink sink;

  Picture(const job::ColorJob& job, const Source& source, const BandPlan& plan)
      : png(job.output, plan.picture_px(),
            picture_text({.fingerprint = source.reader->attribute("fingerprint"),
                          .field = source.field,
                          .palette = source.palette,
                          .region = source.region,
                          .scale = job.scale},
                         job.keeps_input ? job.input : "")),
        sink(png, plan.count()) {}
};

}  // namespace

ColorResult color_file(comm::World& world, const job::ColorJob& job) {
  Source source;
  comm::agree(world, [&] { source = open_source(world, job); });
  const BandBudget budget = common_budget(world, job, source);
  const BandPlan bands{.region = source.region, .scale = job.scale, .rows = budget.rows};

  // Only the gather rank can fail at the PNG. Each such step is collective, so that the other ranks
  // learn of the failure and do not wait forever.
  std::optional<Picture> picture;
  comm::agree(world, [&] {
    if (world.is_root()) picture.emplace(job, source, bands);
  });
  ColorWork work(source.reader.get(), source.field,
                 color::Colorizer(source.palette, source.iterations), bands, budget.lanes);
  ColorResult result{.size_px = bands.picture_px()};
  const auto queue_bytes = static_cast<std::size_t>(budget.queue_bytes);
  farm::FarmResult colored = farm::run(
      world,
      {.work = work,
       .sink = picture ? &picture->sink : nullptr,
       .costs = std::vector<float>(static_cast<std::size_t>(bands.count()), 1.0F),
       .window = budget.window,
       .label = "colour",
       .items = "bands",
       .quiet = job.quiet,
       .limits = {
           .outbox_bytes = queue_bytes, .inbox_bytes = queue_bytes, .trace = !job.trace.empty()}});
  result.threads = std::move(colored.threads);
  result.repeats = colored.repeats;
  comm::agree(world, [&] {
    if (!picture) return;
    picture->png.finish(job.overwrite ? base::Replace::what_is_there : base::Replace::nothing);
  });
  return result;
}

}  // namespace tessera::post
