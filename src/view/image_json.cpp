#include "view/image_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "base/decimal.hpp"
#include "base/read_number.hpp"
#include "color/colorizer.hpp"
#include "color/palette.hpp"
#include "color/palette_file.hpp"
#include "job/image/coloring.hpp"
#include "job/image/resolution.hpp"
#include "job/values.hpp"
#include "post/color/picture.hpp"
#include "post/color/recipe.hpp"

namespace tessera::view {
namespace {

// crossed by: test_a_large_map_joins_tiles
constexpr std::int64_t kMaxMapCells = 256;  ///< a side
constexpr int kPaletteStops = 32;
/// Digits of a coordinate beyond those that tell two pixels apart.
constexpr std::int64_t kSpareDigits = 2;

/// A decimal without an exponent, with at most so many digits behind the point.
std::string positional(const std::string& decimal, std::int64_t places) {
  std::string text = base::normalized_decimal(decimal);
  if (text == "0") return text;
  const bool negative = text.starts_with('-');
  const std::size_t e = text.find('e');
  std::string digits = text.substr(negative ? 1 : 0, e - (negative ? 1 : 0));
  const std::int64_t exponent = base::read_integer(text.substr(e + 1)).value();
  if (exponent >= 0)
    return text.substr(0, e) + std::string(static_cast<std::size_t>(exponent), '0');
  const auto behind = static_cast<std::size_t>(-exponent);
  if (digits.size() <= behind) digits.insert(0, behind + 1 - digits.size(), '0');
  digits.insert(digits.size() - behind, 1, '.');
  const std::size_t kept = digits.find('.') + 1 + static_cast<std::size_t>(places);
  if (kept < digits.size()) digits.resize(kept);
  return (negative ? "-" : "") + digits;
}

/// Digits behind the point that tell neighbouring pixels apart.
std::int64_t needed_places(const job::RenderJob& job) {
  const auto columns = static_cast<double>(job.image.size_px.width);
  const std::int64_t of_width = base::digits_of(job.width_text).exponent;
  const auto of_columns = static_cast<std::int64_t>(std::ceil(std::log10(columns)));
  return std::max<std::int64_t>(of_columns - of_width, 0) + kSpareDigits;
}

template <class T>
T element(const ChunkCache::Pointer& values, std::int64_t index) {
  T value;
  std::memcpy(&value, values->data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

double value_at(const ChunkCache::Pointer& values, base::ElementType type, std::int64_t index) {
  switch (type) {
    case base::ElementType::u16:
      return element<std::uint16_t>(values, index);
    case base::ElementType::u32:
      return element<std::uint32_t>(values, index);
    case base::ElementType::u64:
      return static_cast<double>(element<std::uint64_t>(values, index));  // below 2^53
    default:
      return static_cast<double>(element<float>(values, index));
  }
}

std::string hex_color(const color::Rgb& rgb) {
  return fmt::format("#{:02x}{:02x}{:02x}", rgb.r, rgb.g, rgb.b);
}

/// A cell of the map: tiles of the file that are joined.
struct Cell {
  std::int64_t tiles = 0, stored = 0;
  int rank = -1;
  int device = -1;
  double seconds = 0;
};

std::vector<Cell> cells_of(const OpenImage& image, std::int64_t joined, std::int64_t columns,
                           std::int64_t rows) {
  std::vector<Cell> cells(static_cast<std::size_t>(columns * rows));
  std::int64_t number = 0;
  for (const TileFacts& tile : image.tiles()) {
    const std::int64_t row = image.grid().row_of(number) / joined;
    const std::int64_t column = image.grid().column_of(number++) / joined;
    Cell& cell = cells[static_cast<std::size_t>(row * columns + column)];
    ++cell.tiles;
    if (!tile.stored()) continue;
    ++cell.stored;
    cell.rank = tile.rank;
    cell.device = tile.device;
    cell.seconds += static_cast<double>(tile.seconds);
  }
  return cells;
}

}  // namespace

report::Json image_json(const ListedImage& listed) {
  const OpenImage& image = *listed.image;
  const job::RenderJob& job = image.job();
  const job::PointText center = job::split_point(job.center_text, "center");
  report::Json fields = report::Json::array();
  for (const auto& [field, type] : image.header().fields) fields.push_back(job::field_name(field));
  return {{"id", listed.id},
          {"name", listed.name},
          {"width", image.grid().size_px.width},
          {"height", image.grid().size_px.height},
          {"tile_px", image.grid().tile_px},
          {"levels", levels_of(image.grid().size_px)},
          {"fields", std::move(fields)},
          {"iterations", job.image.iterations},
          {"complete", image.complete()},
          {"center", {center.re, center.im}},
          {"span", job.width_text},
          {"formula", job.formula_text},
          {"arithmetic", image.reader().attribute("arithmetic")},
          {"beyond_f64", job::is_beyond_f64(image.job())},
          {"tiles", image.grid().count()},
          {"tiles_done", image.tiles_done()},
          {"version", json_version(image.version())}};
}

report::Json whole_image_json(const ListedImage& listed) {
  report::Json json = image_json(listed);
  json["attributes"] = report::Json::object();
  for (const store::Attribute& attribute : listed.image->header().attributes) {
    json["attributes"][attribute.name] = attribute.text;
  }
  return json;
}

report::Json map_json(const OpenImage& image) {
  const plan::TileGrid& grid = image.grid();
  const std::int64_t joined =
      (std::max(grid.columns(), grid.rows()) + kMaxMapCells - 1) / kMaxMapCells;
  const std::int64_t columns = (grid.columns() + joined - 1) / joined;
  const std::int64_t rows = (grid.rows() + joined - 1) / joined;
  report::Json json = {{"columns", columns},
                       {"rows", rows},
                       {"tile_width", grid.tile_px * joined},
                       {"tile_height", grid.tile_px * joined},
                       {"device_names", image.devices()}};
  for (const char* const key : {"state", "rank", "device", "seconds"}) {
    json[key] = report::Json::array();
  }
  for (const Cell& cell : cells_of(image, joined, columns, rows)) {
    json["state"].push_back(
        cell.stored == cell.tiles
            ? report::Json(1)
            : report::Json(static_cast<double>(cell.stored) / static_cast<double>(cell.tiles)));
    json["rank"].push_back(cell.rank);
    json["device"].push_back(cell.device);
    json["seconds"].push_back(cell.seconds);
  }
  return json;
}

report::Json pixel_json(const OpenImage& image, std::int64_t x, std::int64_t y,
                        TileImages& values) {
  const job::RenderJob pixel = post::zoom(image.job(), {x, y, 1, 1});
  const job::PointText place = job::split_point(pixel.center_text, "center");
  const std::int64_t places = needed_places(image.job());
  const plan::TileGrid& grid = image.grid();
  const std::int64_t row = y / grid.tile_px;
  const std::int64_t column = x / grid.tile_px;
  const std::int64_t tile = row * grid.columns() + column;
  report::Json json = {{"re", positional(place.re, places)},
                       {"im", positional(place.im, places)},
                       {"tile", {row, column}}};
  for (const char* const key : {"count", "inside", "rank", "device", "seconds"}) {
    json[key] = nullptr;
  }
  for (const job::Field field : job::kMoreFields) json[job::field_name(field)] = nullptr;
  const std::int64_t index = (y % grid.tile_px) * grid.chunk_px().width + x % grid.tile_px;
  for (const auto& [field, type] : image.header().fields) {
    const ChunkCache::Pointer chunk = values.chunk(image, field, tile);
    if (!chunk) continue;
    const double value = value_at(chunk, type, index);
    if (field == job::Field::iterations) {
      const auto count = static_cast<std::uint64_t>(value);
      json["count"] = count;
      json["inside"] = color::is_inside(count, image.job().image.iterations);
    } else {
      json[std::string(job::field_name(field))] = value;
    }
  }
  const TileFacts& facts = image.tiles()[static_cast<std::size_t>(tile)];
  if (!facts.stored()) return json;
  json["rank"] = facts.rank;
  json["device"] = image.devices()[facts.device];
  json["seconds"] = facts.seconds;
  return json;
}

report::Json look_json(const job::Coloring& look, const PaletteFiles& files) {
  const auto file = std::ranges::find(files, look.palette, &PaletteFile::path);
  return {{"palette", file == files.end() ? look.palette : file->name},
          {"offset", look.palette_offset},
          {"length", look.palette_cycle},
          {"transfer", job::scale_text(look)},
          {"equalize", look.equalize_auto ? ""
                       : look.equalize    ? "true"
                                          : "false"},
          {"inside", look.inside.empty() ? "" : hex_color(post::palette_of(look).inside)},
          {"distance", look.distance},
          {"light", job::light_text(look)}};
}

report::Json palettes_json(const PaletteFiles& files) {
  std::vector<color::Palette> all(color::builtin_palettes().begin(),
                                  color::builtin_palettes().end());
  for (const PaletteFile& file : files) {
    all.push_back(color::read_palette(file.path));
    all.back().name = file.name;
    all.back().description = "a file";
  }
  report::Json json = report::Json::array();
  for (const color::Palette& palette : all) {
    report::Json stops = report::Json::array();
    for (int i = 0; i < kPaletteStops; ++i) {
      stops.push_back(hex_color(color::color_at(palette, static_cast<double>(i) / kPaletteStops)));
    }
    json.push_back({{"name", palette.name},
                    {"description", palette.description},
                    {"stops", std::move(stops)},
                    {"inside", hex_color(palette.inside)}});
  }
  return json;
}

}  // namespace tessera::view
