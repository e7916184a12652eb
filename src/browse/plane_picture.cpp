#include "browse/plane_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "browse/block_means.hpp"
#include "codec/png_image.hpp"

namespace tessera::browse {
namespace {

using view::HttpError;

constexpr std::int64_t kTilePx = 256;
constexpr std::size_t kChannels = 4;

double real_parameter(const view::Target& target, std::string_view name, double usual) {
  const std::string_view text = target.parameter(name);
  if (text.empty()) return usual;
  try {
    const double value = base::parse_real(text, name);
    if (std::isfinite(value)) return value;
  } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): the same answer
  }
  throw HttpError(400, fmt::format("{}: '{}' is no number", name, base::printable(text)));
}

/// From a number to its place in the palette.
class Colors {
 public:
  explicit Colors(const DataLook& look)
      : table_(color_table(*look.palette)), look_(look), low_(shown(look.low)) {
    const double width = shown(look.high) - low_;
    steps_ = width > 0 ? static_cast<double>(table_.size() - 1) / width : 0;
  }

  void put(double value, std::byte* pixel) const {
    if (std::isnan(value)) return;
    const double place =
        std::clamp((shown(value) - low_) * steps_, 0.0, static_cast<double>(table_.size() - 1));
    auto index = std::isnan(place) ? 0 : static_cast<std::size_t>(std::lround(place));
    if (look_.reversed) index = table_.size() - 1 - index;
    for (std::size_t c = 0; c < 3; ++c) pixel[c] = static_cast<std::byte>(table_[index][c]);
    pixel[3] = std::byte{255};
  }

 private:
  double shown(double value) const {
    return look_.logarithmic ? std::log(std::max(value, std::numeric_limits<double>::min()))
                             : value;
  }

  ColorTable table_;
  DataLook look_;
  double low_;
  double steps_;
};

/// Of a level that is not held.
std::vector<double> read_means(const PlaneScales& scales, int level, const base::PixelRect& cells) {
  const base::ImageSize size = scales.plane().size();
  const std::int64_t side = std::int64_t{1} << level;
  const base::PixelRect rect{cells.x * side, cells.y * side,
                             std::min(cells.width * side, size.width - cells.x * side),
                             std::min(cells.height * side, size.height - cells.y * side)};
  return block_means(scales.array(), scales.plane(), rect, level);
}

}  // namespace

DataLook data_look_of(const view::Target& target) {
  DataLook look{.palette = &find_data_palette(target.parameter("palette")),
                .low = real_parameter(target, "low", 0),
                .high = real_parameter(target, "high", 1)};
  const std::string_view scale = target.parameter("scale");
  if (!scale.empty() && scale != "linear" && scale != "log") {
    throw HttpError(400, "scale: linear or log");
  }
  look.logarithmic = scale == "log";
  if (!std::isfinite(look.high - look.low) || look.low > look.high) {
    throw HttpError(400, "high: must not be below low, nor be away from it by more than f64 holds");
  }
  if (look.logarithmic && look.low <= 0) throw HttpError(400, "low: a logarithm needs more than 0");
  look.reversed = target.parameter("reversed") == "true";
  return look;
}

int picture_levels(const base::ImageSize& size) {
  int levels = 1;
  while (std::max(size.width, size.height) > kTilePx << (levels - 1)) ++levels;
  return levels;
}

base::Bytes plane_png(const PlaneScales& scales, int level, std::int64_t x, std::int64_t y,
                      const DataLook& look) {
  const base::ImageSize size = scales.plane().size();
  const std::int64_t side = std::int64_t{1} << level;
  const base::PixelRect cells{x * kTilePx, y * kTilePx,
                              std::min(kTilePx, divided_up(size.width, side) - x * kTilePx),
                              std::min(kTilePx, divided_up(size.height, side) - y * kTilePx)};
  std::vector<double> means(static_cast<std::size_t>(cells.pixels()));
  if (level < scales.least_level()) {
    means = read_means(scales, level, cells);
  } else {
    scales.read(level, cells, means);
  }
  base::Bytes pixels(static_cast<std::size_t>(kTilePx * kTilePx) * kChannels);
  const Colors colors(look);
  for (std::int64_t row = 0; row < cells.height; ++row) {
    for (std::int64_t column = 0; column < cells.width; ++column) {
      colors.put(means[static_cast<std::size_t>(row * cells.width + column)],
                 pixels.data() + static_cast<std::size_t>(row * kTilePx + column) * kChannels);
    }
  }
  codec::PngBandEncoder encoder;
  return codec::encode_png(encoder, pixels, kTilePx, kChannels);
}

}  // namespace tessera::browse
