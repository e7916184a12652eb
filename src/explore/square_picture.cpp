#include "explore/square_picture.hpp"

#include <optional>
#include <vector>

#include "codec/png_image.hpp"
#include "color/distance_shade.hpp"
#include "color/pixel_format.hpp"

namespace tessera::explore {

base::Bytes SquarePictures::png(const SquareKey& key, const SquareValues& values,
                                const job::ColorJob& look) {
  const bool smooth = look.field != "iterations" && !values.smooth.empty();
  const base::ElementType type = smooth ? base::ElementType::f32 : values.type;
  const base::Bytes& elements = smooth ? values.smooth : values.counts;
  const view::Colorizers::Pointer colors = colorizers_.get(look, key.iterations);
  std::optional<color::DistanceShade> edge;
  if (look.distance > 0 && !values.distance.empty()) {
    edge.emplace(look.distance / key.coarse, colors->inside());
  }
  const color::PixelFormat format{.dither = smooth || edge};
  const std::int64_t side = key.side_px();
  const auto columns = static_cast<std::size_t>(side);
  std::vector<color::Pixel> row(columns);
  base::Bytes rgb(columns * columns * format.bytes());
  for (std::int64_t y = 0; y < side; ++y) {
    const auto first = static_cast<std::size_t>(y) * columns;
    colors->colorize(elements.data() + first * base::element_bytes(type), type, row);
    if (edge) edge->shade(values.distance.data() + first * sizeof(float), row);
    color::store_pixels(format, row, key.x * side, key.y * side + y,
                        rgb.data() + first * format.bytes());
  }
  codec::PngBandEncoder encoder;
  return codec::encode_png(encoder, rgb, static_cast<std::uint32_t>(side), format.bytes());
}

}  // namespace tessera::explore
