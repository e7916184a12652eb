#include "post/color/band_plan.hpp"

#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "color/box_average.hpp"

namespace tessera::post {
namespace {

/// Cost and state in plan::Schedule.
constexpr std::uint64_t kTableBytesPerBand = 5;
/// A checksum and a bit for "checked", rounded up.
constexpr std::uint64_t kTableBytesPerTile = 5;
/// A chunk in three forms: stored bytes, shuffled planes, values.
constexpr std::uint64_t kChunkCopies = 3;
/// A pixel's f32 of another field in as many, and another field beside it for the checksum of both.
constexpr std::uint64_t kBesideBytes = (kChunkCopies + 1) * 4;

/// Few rows make many bands (for balance) but inflate each chunk again for every band it crosses.
constexpr std::int64_t kFewestRows = 64;
constexpr std::int64_t kBandsPerLane = 4;
/// Time to read and inflate a pixel over the time to colour, filter and deflate it (measured: 0.35
/// for u16, 0.7 for f32).
constexpr double kInflateCost = 0.5;

BandPlan cut(const BandRequest& request, std::int64_t rows) {
  return {.region = request.region, .scale = request.scale, .rows = rows};
}

/// The table of colours, and those between codes and light.
constexpr std::uint64_t kColorTables = std::uint64_t{2} << 20;

/// Upper bound of a band's message: deflate stores noise with 5 extra bytes in 65535, and a few
/// more per piece.
std::uint64_t result_chunk_bytes(const BandRequest& request, base::ImageSize band_px) {
  const std::uint64_t filtered =
      static_cast<std::uint64_t>(band_px.pixels()) * request.pixel_bytes +
      static_cast<std::uint64_t>(band_px.height);
  return filtered + filtered / 4096 + 64;
}

std::uint64_t lane_bytes(const BandRequest& request, base::ImageSize band_px) {
  const auto chunk =
      static_cast<std::uint64_t>(request.chunk_px.pixels()) * base::element_bytes(request.type);
  const auto alongside =
      static_cast<std::uint64_t>(request.chunk_px.pixels()) * request.alongside_bytes;
  const auto beside = static_cast<std::uint64_t>(request.beside) *
                      static_cast<std::uint64_t>(request.chunk_px.pixels()) * kBesideBytes;
  const auto rgb = static_cast<std::uint64_t>(band_px.pixels()) * request.pixel_bytes;
  const auto row = static_cast<std::uint64_t>(std::max(request.chunk_px.width, band_px.width)) *
                   sizeof(color::Pixel);
  const std::uint64_t averaging = request.scale == 1 ? 0 : color::BoxAverage::memory_bytes(band_px);
  return kChunkCopies * chunk + alongside + beside + row + rgb + averaging +
         request.file->encoder_bytes(rgb) + result_chunk_bytes(request, band_px);
}

std::uint64_t fixed_bytes(const BandRequest& request, std::int64_t rows) {
  return job::kProgramBytes + job::kImageFileBytes + kColorTables + request.file->writer_bytes +
         kTableBytesPerTile * static_cast<std::uint64_t>(request.tiles) +
         kTableBytesPerBand * static_cast<std::uint64_t>(cut(request, rows).count());
}

/// For one lane. Of the memory that fixed_bytes() leaves, at most half is for lanes, a quarter for
/// the queues, and a quarter for bands that arrive early.
std::uint64_t min_bytes(const BandRequest& request, std::int64_t rows) {
  const base::ImageSize band_px = cut(request, rows).size_of(0);
  return fixed_bytes(request, rows) +
         std::max(2 * lane_bytes(request, band_px),
                  4 * job::kCopiesOnTheWay * result_chunk_bytes(request, band_px));
}

/// Returns nothing if not even one lane fits.
std::optional<BandBudget> fit(const BandRequest& request, std::int64_t rows) {
  if (min_bytes(request, rows) > request.memory_bytes) return std::nullopt;
  const base::ImageSize band_px = cut(request, rows).size_of(0);
  const std::uint64_t result_chunk = result_chunk_bytes(request, band_px);
  const std::uint64_t lane = lane_bytes(request, band_px);
  BandBudget budget{.rows = rows, .fixed_bytes = fixed_bytes(request, rows)};
  const std::uint64_t rest = request.memory_bytes - budget.fixed_bytes;
  const std::uint64_t lanes = std::min<std::uint64_t>(request.lanes, rest / 2 / lane);
  const std::uint64_t window =
      std::min<std::uint64_t>(rest / 4 / result_chunk,
                              kBandsPerLane * static_cast<std::uint64_t>(request.lanes_of_all) + 2);
  budget.lanes = static_cast<int>(lanes);
  budget.lanes_bytes = lanes * lane;
  budget.window = static_cast<std::int64_t>(window);
  budget.early_bytes = window * result_chunk;
  // No queue ever holds more bands than the window.
  budget.queue_bytes = std::min(rest / 4 / job::kCopiesOnTheWay, budget.early_bytes);
  return budget;
}

/// Bands have the height of tiles if there are then enough bands for all lanes.
std::int64_t max_rows(const BandRequest& request) {
  const std::int64_t tile_px = std::max(request.chunk_px.width, request.chunk_px.height);
  BandPlan bands = cut(request, std::max<std::int64_t>(1, tile_px / request.scale));
  bands.rows = std::min(bands.rows, bands.picture_px().height);
  while (bands.rows / 2 >= kFewestRows && bands.count() < kBandsPerLane * request.lanes_of_all) {
    bands.rows /= 2;
  }
  return bands.rows;
}

/// Predicted time for the picture; the unit is the time of one lane to colour, filter and deflate a
/// pixel.
double cost(const BandRequest& request, const BandBudget& budget) {
  const double source_rows = static_cast<double>(budget.rows * request.scale);
  const double inflations =
      std::max(1.0, static_cast<double>(request.chunk_px.height) / source_rows);
  // Assumes that the other ranks have the same memory.
  const double lanes = static_cast<double>(budget.lanes) * request.lanes_of_all / request.lanes;
  const double busy = std::min(lanes, static_cast<double>(budget.window));
  return (kInflateCost * inflations + 1) / busy;
}

base::Error too_little_memory(const BandRequest& request) {
  std::uint64_t least = min_bytes(request, 1);
  for (std::int64_t rows = max_rows(request); rows > 1; rows /= 2) {
    least = std::min(least, min_bytes(request, rows));
  }
  const auto [given, needed] = base::format_different_bytes(
      static_cast<double>(request.memory_bytes), static_cast<double>(least));
  return base::usage_error(
      "--memory {}: colouring rows of {} pixels from tiles of {} x {} needs {} a rank", given,
      request.region.width / request.scale, request.chunk_px.width, request.chunk_px.height,
      needed);
}

}  // namespace

BandBudget plan_bands(const BandRequest& request, std::int64_t rows) {
  const auto budget = fit(request, rows);
  if (!budget) throw too_little_memory(request);
  return *budget;
}

BandBudget plan_bands(const BandRequest& request) {
  std::optional<BandBudget> best;
  for (std::int64_t rows = max_rows(request); rows >= 1; rows /= 2) {
    const auto budget = fit(request, rows);
    if (budget && (!best || cost(request, *budget) < cost(request, *best))) best = budget;
  }
  if (!best) throw too_little_memory(request);
  return *best;
}

}  // namespace tessera::post
