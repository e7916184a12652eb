#include "explore/square_picture.hpp"

#include "codec/png_image.hpp"
#include "post/color/painter.hpp"

namespace tessera::explore {

base::Bytes SquarePictures::png(const SquareKey& key, const SquareValues& values,
                                const job::ColorJob& look) {
  const bool smooth = look.field != "iterations" && !values.more.smooth.empty();
  const base::ElementType type = smooth ? base::ElementType::f32 : values.type;
  const base::Bytes& elements = smooth ? values.more.smooth : values.counts;
  const view::Colorizers::Pointer colors = colorizers_.get(look, key.iterations);
  post::Painter::Edge edge;
  if (look.distance > 0) edge.emplace(look.distance / key.coarse, colors->inside());
  std::optional<color::Light> light;
  if (look.light) light.emplace(look.light->azimuth_deg, look.light->height);
  job::PerField<const std::byte*> beside;
  for (const job::Field field : job::shading_fields(look)) {
    if (!values.more[field].empty()) beside[field] = values.more[field].data();
  }
  const color::PixelFormat format{.dither = smooth || beside.any()};
  post::Painter painter(colors, edge, format, 1, type, light);
  const std::int64_t side = key.side_px();
  base::Bytes rgb;
  painter.begin({side, side}, key.x * side, key.y * side, rgb);
  for (std::int64_t y = 0; y < side; ++y) {
    const auto first = static_cast<std::size_t>(y * side);
    painter.put({.y = y,
                 .pixels = static_cast<std::size_t>(side),
                 .values = elements.data() + first * base::element_bytes(type),
                 .beside = beside});
    for (const job::Field field : job::kMoreFields) {
      if (beside[field]) beside[field] += static_cast<std::size_t>(side) * sizeof(float);
    }
  }
  codec::PngBandEncoder encoder;
  return codec::encode_png(encoder, rgb, static_cast<std::uint32_t>(side), format.bytes());
}

}  // namespace tessera::explore
