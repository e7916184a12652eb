#include "run/color_stage.hpp"

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "color/palette.hpp"
#include "device/threads.hpp"
#include "plan/schedule.hpp"
#include "run/agree.hpp"
#include "run/color_work.hpp"
#include "run/farm.hpp"
#include "run/lanes.hpp"
#include "run/progress.hpp"
#include "run/shared_input.hpp"

namespace tessera::run {
namespace {

/// Few rows make many bands (for balance) but inflate each chunk again for every band it crosses.
constexpr std::int64_t kFewestRows = 64;
constexpr std::int64_t kBandsPerLane = 4;

job::Field choose_field(const store::ImageHeader& header, const ColorJob& job) {
  for (const job::Field field : {job::Field::smooth, job::Field::iterations}) {
    if (!job.field.empty() && job.field != job::field_name(field)) continue;
    for (const auto& [name, type] : header.fields) {
      if (name == field) return field;
    }
  }
  throw base::missing_error("--field {}: {} has no such dataset", job.field, job.input);
}

base::PixelRect choose_region(const store::ImageHeader& header, const ColorJob& job) {
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

/// Bands as high as tiles where memory allows and there are enough of them for every lane.
BandPlan plan_bands(const ColorJob& job, const base::PixelRect& region, std::int64_t tile_px,
                    int lanes_per_rank, int lanes_of_all) {
  BandPlan bands{
      .region = region, .scale = job.scale, .rows = std::max<std::int64_t>(1, tile_px / job.scale)};
  const auto fits = [&] {
    return bands.lane_memory_bytes() * static_cast<std::size_t>(lanes_per_rank) <
           job.memory_bytes / 2;
  };
  const auto enough = [&] {
    return bands.rows / 2 < kFewestRows || bands.count() >= kBandsPerLane * lanes_of_all;
  };
  while (bands.rows > 1 && !(fits() && enough())) bands.rows /= 2;
  if (!fits()) {
    throw base::usage_error(
        "--memory {}: one row of {} pixels on {} threads needs {}",
        base::format_bytes(static_cast<double>(job.memory_bytes)), region.width, lanes_per_rank,
        base::format_bytes(static_cast<double>(2 * bands.lane_memory_bytes() *
                                               static_cast<std::size_t>(lanes_per_rank))));
  }
  return bands;
}

std::uint32_t iterations_of(const store::ImageReader& reader) {
  return static_cast<std::uint32_t>(
      base::parse_integer(reader.attribute("iterations"), "attribute iterations", 1, 0xFFFFFFFE));
}

}  // namespace

ColorResult color_file(comm::World& world, const ColorJob& job) {
  std::unique_ptr<store::ImageReader> reader;
  int lanes = 0;
  color::Palette palette;
  job::Field field = job::Field::iterations;
  base::PixelRect region;
  agree(world, [&] {
    palette = color::find_palette(job.palette);
    lanes = device::cpu_threads(place_of(world, job.threads), device::count_cores());
    reader = open_shared_input(world, job.input);
    if (!reader) {
      lanes = 0;
      return;
    }
    if (reader->attribute("status") != "complete") {
      throw base::usage_error("{}: is not complete; finish its rendering first", job.input);
    }
    field = choose_field(reader->header(), job);
    region = choose_region(reader->header(), job);
  });

  const int everywhere = total_lanes(world, lanes);
  std::unique_ptr<BandPlan> bands;
  std::unique_ptr<store::PngWriter> png;
  agree(world, [&] {
    const std::int64_t tile_px = reader ? reader->header().tile_px : 1;
    if (reader) {
      bands = std::make_unique<BandPlan>(plan_bands(job, region, tile_px, lanes, everywhere));
    }
  });
  // Every rank must cut alike; the smallest helping of memory decides.
  std::int64_t rows = bands ? bands->rows : std::int64_t{1} << 40;
  base::ByteWriter mine;
  for (const base::Bytes& part : world.gather(mine.put(rows).take())) {
    rows = std::min(rows, base::ByteReader(part).get<std::int64_t>());
  }
  base::ByteWriter decided;
  const base::Bytes told = world.broadcast(decided.put(rows).take());
  if (!bands) bands = std::make_unique<BandPlan>();
  bands->rows = base::ByteReader(told).get<std::int64_t>();

  agree(world, [&] {
    if (!world.is_root()) return;
    png = std::make_unique<store::PngWriter>(
        job.output, bands->picture_px(),
        std::vector<std::pair<std::string, std::string>>{
            {"Software", "Tessera"}, {"Source", job.input}, {"Palette", palette.name}});
  });

  const color::Colorizer colorizer(palette, reader ? iterations_of(*reader) : 1);
  ColorWork work(reader.get(), field, colorizer, *bands, lanes);
  const std::size_t band_bytes =
      static_cast<std::size_t>(bands->picture_px().width * 3 * bands->rows) + 1;
  const std::size_t half = job.memory_bytes / 4;
  const FarmLimits limits{.outbox_bytes = half, .inbox_bytes = half, .trace = !job.trace.empty()};
  ColorResult result{.size_px = bands->picture_px()};
  if (!world.is_root()) {
    result.threads = run_farm(world, work, limits, nullptr);
    return result;
  }
  // A band that comes early waits in memory for those before it.
  const std::int64_t window = std::clamp<std::int64_t>(static_cast<std::int64_t>(half / band_bytes),
                                                       2, 4 * std::int64_t{everywhere} + 2);
  plan::Schedule schedule(std::vector<float>(static_cast<std::size_t>(bands->count()), 1.0F),
                          everywhere, plan::Order::given, window);
  PngSink sink(*png, bands->count());
  Progress progress("colour", job.quiet);
  Gather gather{schedule, sink, [&](double share) { progress.show(share); }};
  result.threads = run_farm(world, work, limits, &gather);
  png->finish();
  return result;
}

}  // namespace tessera::run
