#include "view/tile_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "codec/png_image.hpp"
#include "post/color/painter.hpp"
#include "view/half_scale.hpp"
#include "view/http/target.hpp"

namespace tessera::view {
namespace {

/// Colorizers that are kept: a few viewers with a palette each.
constexpr std::size_t kMaxColorizers = 16;

std::int64_t divided_up(std::int64_t pixels, std::int64_t by) {
  return (pixels + by - 1) / by;
}

}  // namespace

int levels_of(const base::ImageSize& image_px) {
  int levels = 1;
  while (std::max(image_px.width, image_px.height) > kTilePx << (levels - 1)) ++levels;
  return levels;
}

base::ImageSize tiles_at(const base::ImageSize& image_px, int level) {
  return {divided_up(image_px.width, kTilePx << level),
          divided_up(image_px.height, kTilePx << level)};
}

/// Makes one picture: from values of the level below its own, 2 x 2 for each pixel, or from those
/// of the image at full size.
class TileImages::Painter {
 public:
  Painter(TileImages& images, const OpenImage& image, const Scales& scales, const TilePlace& place,
          const job::ColorJob& look, const Histogram* histogram)
      : images_(images),
        image_(image),
        scales_(scales),
        place_(place),
        scale_(place.level > 0 ? 2 : 1),
        field_(image.field(look.field)),
        type_(image.chunks(field_).type()),
        grid_(grid_of_source()),
        colors_(images.colorizers_.get(look, image.job().image.iterations, histogram)),
        beside_(job::shading_fields(look)) {
    // Distances are in pixels of the file at every scale.
    if (look.distance > 0) edge_.emplace(std::ldexp(look.distance, place.level), colors_->inside());
    if (look.light) light_.emplace(look.light->azimuth_deg, look.light->height);
  }

  base::Bytes png() {
    const bool dither = field_ == job::Field::smooth || !beside_.empty();
    if (!covers_picture() || !paint({.dither = dither})) paint({.alpha = true, .dither = dither});
    codec::PngBandEncoder encoder;
    return codec::encode_png(encoder, bytes_, kTilePx, format_.bytes());
  }

 private:
  int source_level() const { return std::max(place_.level - 1, 0); }

  plan::TileGrid grid_of_source() const {
    const plan::TileGrid& grid = image_.grid();
    const std::int64_t side = std::int64_t{1} << source_level();
    return {{divided_up(grid.size_px.width, side), divided_up(grid.size_px.height, side)},
            grid.tile_px};
  }

  /// The part of the source that the picture shows.
  base::PixelRect source() const {
    const std::int64_t side = kTilePx * scale_;
    const std::int64_t x = place_.x * side;
    const std::int64_t y = place_.y * side;
    return {x, y, std::min(side, grid_.size_px.width - x),
            std::min(side, grid_.size_px.height - y)};
  }

  bool covers_picture() const {
    const base::PixelRect part = source();
    return std::min(part.width, part.height) == kTilePx * scale_;
  }

  /// False, with an unfinished picture, if a pixel is missing and the format cannot say so.
  bool paint(const color::PixelFormat& format) {
    format_ = format;
    painter_.emplace(colors_, edge_, format, scale_, type_, light_);
    bytes_.assign(static_cast<std::size_t>(kTilePx * kTilePx) * format.bytes(), {});
    painter_->begin({kTilePx, kTilePx}, place_.x * kTilePx, place_.y * kTilePx, bytes_);
    const base::PixelRect part = source();
    const std::int64_t side = grid_.tile_px;
    for (std::int64_t row = part.y / side; row * side < part.y + part.height; ++row) {
      for (std::int64_t column = part.x / side; column * side < part.x + part.width; ++column) {
        if (!paint_chunk(part, row * grid_.columns() + column)) return false;
      }
    }
    painter_->finish();
    return true;
  }

  bool paint_chunk(const base::PixelRect& part, std::int64_t chunk) {
    const ChunkCache::Pointer values = values_of(field_, scales_.values, chunk);
    if (!values && source_level() == 0) return format_.alpha;
    job::PerField<ChunkCache::Pointer> beside;
    for (const job::Field field : beside_) {
      if (values) beside[field] = values_of(field, scales_.beside[field], chunk);
    }
    const base::PixelRect rect = grid_.rect(chunk);
    const std::int64_t left = std::max(rect.x, part.x);
    const std::int64_t right = std::min(rect.x + rect.width, part.x + part.width);
    const std::int64_t bottom = std::min(rect.y + rect.height, part.y + part.height);
    const auto pixels = static_cast<std::size_t>(right - left);
    std::int64_t shown_tiles = -1;  // the row of tiles whose means are in means_
    for (std::int64_t y = std::max(rect.y, part.y); y < bottom; ++y) {
      if (!values) {
        const std::int64_t tiles = row_of_tiles(y);
        if (tiles != shown_tiles && !color_means(left, tiles, pixels)) return false;
        shown_tiles = tiles;
        painter_->put(left - part.x, y - part.y, means_);
        continue;
      }
      const auto first =
          static_cast<std::size_t>((y - rect.y) * grid_.chunk_px().width + left - rect.x);
      const bool painted = put({.x = left - part.x,
                                .y = y - part.y,
                                .pixels = pixels,
                                .values = values->data() + first * base::element_bytes(type_),
                                .beside = at(beside, first)});
      if (!painted) return false;
    }
    return true;
  }

  job::PerField<const std::byte*> at(const job::PerField<ChunkCache::Pointer>& beside,
                                     std::size_t pixel) const {
    job::PerField<const std::byte*> places;
    for (const job::Field field : beside_) {
      if (beside[field]) places[field] = beside[field]->data() + pixel * sizeof(float);
    }
    return places;
  }

  bool put(const post::ValueRun& run) {
    if (source_level() == 0) {
      painter_->put(run);
      return true;
    }
    const std::span<color::Pixel> colors = painter_->color(run);
    const bool complete = clear_missing(run.values, colors) || format_.alpha;
    painter_->put(run.x, run.y, colors);
    return complete;
  }

  /// The mean counts of tiles, from column x of the source on.
  bool color_means(std::int64_t x, std::int64_t row, std::size_t pixels) {
    base::Bytes means(pixels * base::element_bytes(type_));
    fill_means(means, x, row);
    const std::span<color::Pixel> colors =
        painter_->color({.pixels = pixels, .values = means.data()});
    const bool complete = clear_missing(means.data(), colors) || format_.alpha;
    means_.assign(colors.begin(), colors.end());
    return complete;
  }

  /// Null if the tile, or the chunk of the pyramid, is not there.
  ChunkCache::Pointer values_of(job::Field field, const Pyramid* pyramid, std::int64_t chunk) {
    const int level = source_level();
    if (level == 0) return images_.chunk(image_, field, chunk);
    const std::uint32_t revision = pyramid ? pyramid->revision(level, chunk) : 0;
    if (revision == 0) return nullptr;
    return images_.chunks_.get({image_.generation(), field, level, chunk, revision}, [&] {
      return std::make_shared<base::Bytes>(pyramid->read(level, chunk));
    });
  }

  template <class T>
  static bool clear_missing_of(const std::byte* values, std::span<color::Pixel> colors) {
    bool none = true;
    for (std::size_t i = 0; i < colors.size(); ++i) {
      T value;
      std::memcpy(&value, values + i * sizeof(T), sizeof(T));
      if (!is_missing(value)) continue;
      colors[i] = {};
      none = false;
    }
    return none;
  }
  /// Whether none is missing.
  bool clear_missing(const std::byte* values, std::span<color::Pixel> colors) const {
    if (type_ == base::ElementType::u16) return clear_missing_of<std::uint16_t>(values, colors);
    if (type_ == base::ElementType::u32) return clear_missing_of<std::uint32_t>(values, colors);
    if (type_ == base::ElementType::u64) return clear_missing_of<std::uint64_t>(values, colors);
    return clear_missing_of<float>(values, colors);
  }

  std::int64_t row_of_tiles(std::int64_t y) const {
    const plan::TileGrid& tiles = image_.grid();
    return std::min((y << source_level()) / tiles.tile_px, tiles.rows() - 1);
  }

  void fill_means(base::Bytes& to, std::int64_t x, std::int64_t row) const {
    const plan::TileGrid& tiles = image_.grid();
    const int level = source_level();
    const std::size_t pixels = to.size() / base::element_bytes(type_);
    fill_missing(to.data(), pixels, type_);
    for (std::size_t i = 0; i < pixels; ++i) {
      const std::int64_t column = ((x + static_cast<std::int64_t>(i)) << level) / tiles.tile_px;
      const std::int64_t number = row * tiles.columns() + std::min(column, tiles.columns() - 1);
      const TileFacts& tile = image_.tiles()[static_cast<std::size_t>(number)];
      if (tile.stored())
        put_mean(to.data() + i * base::element_bytes(type_), tile, tiles.rect(number));
    }
  }

  void put_mean(std::byte* to, const TileFacts& tile, const base::PixelRect& rect) const {
    const double mean = static_cast<double>(tile.iterations) / static_cast<double>(rect.pixels());
    const auto put = [&](auto value) {
      value = present(value);
      std::memcpy(to, &value, sizeof(value));
    };
    if (type_ == base::ElementType::u16) return put(static_cast<std::uint16_t>(mean));
    if (type_ == base::ElementType::u32) return put(static_cast<std::uint32_t>(mean));
    if (type_ == base::ElementType::u64) return put(static_cast<std::uint64_t>(mean));
    put(static_cast<float>(mean));
  }

  TileImages& images_;
  const OpenImage& image_;
  Scales scales_;
  TilePlace place_;
  int scale_;  ///< pixels of the source to one of the picture, in each direction
  job::Field field_;
  base::ElementType type_;
  plan::TileGrid grid_;  ///< chunks of the source
  Colorizers::Pointer colors_;
  std::vector<job::Field> beside_;
  post::Painter::Edge edge_;
  std::optional<color::Light> light_;
  color::PixelFormat format_;
  std::optional<post::Painter> painter_;
  base::Bytes bytes_;  ///< of the picture
  std::vector<color::Pixel> means_;
};

TileImages::TileImages(std::size_t cache_bytes)
    : cache_bytes_(cache_bytes),
      chunks_(cache_bytes, [](const base::Bytes& values) { return values.size(); }),
      colorizers_(kMaxColorizers) {}

base::Bytes TileImages::png(const OpenImage& image, const Scales& scales, const TilePlace& place,
                            const job::ColorJob& look, const Histogram* histogram) {
  return Painter(*this, image, scales, place, look, histogram).png();
}

ChunkCache::Pointer TileImages::chunk(const OpenImage& image, job::Field field, std::int64_t tile) {
  return chunks_.get({image.generation(), field, 0, tile, 0}, [&]() -> ChunkCache::Pointer {
    post::ChunkReader& reader = image.chunks(field);
    const auto pixels = static_cast<std::size_t>(reader.chunk_px().pixels());
    if (pixels * base::element_bytes(reader.type()) > cache_bytes_ / 2) {
      throw HttpError(507, "the tiles of this image need more --memory");
    }
    post::ChunkReader::Buffers buffers(reader);
    if (!reader.read(buffers, tile)) return nullptr;
    return std::make_shared<base::Bytes>(std::move(buffers.values));
  });
}

}  // namespace tessera::view
