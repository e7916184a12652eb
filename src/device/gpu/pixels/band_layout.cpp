#include "device/gpu/pixels/band_layout.hpp"

#include "device/pixels/check_block.hpp"

namespace tessera::device::gpu {

Tile BandLayout::tile(const job::ImageSpec& image, std::int64_t rows) const {
  const std::uint64_t plane = pixels(rows);
  Tile tile{};
  tile.center_re = image.center_re;
  tile.center_im = image.center_im;
  tile.step = image.step();
  tile.right_re = image.right_re();
  tile.right_im = image.right_im();
  tile.up_re = image.up_re();
  tile.up_im = image.up_im();
  tile.turn = image.turn();
  tile.half_width_px = static_cast<double>(image.size_px.width) / 2;
  tile.half_height_px = static_cast<double>(image.size_px.height) / 2;
  tile.bailout2 = image.bailout * image.bailout;
  tile.iterations_byte_step = shuffled ? plane : 1;
  tile.iterations_pixel_step = shuffled ? 1 : iterations_bytes;
  std::size_t at = 0;
  for (const job::Field field : job::kMoreFields) tile.value_byte[at++] = byte_of(field, rows);
  tile.value_byte_step = shuffled ? plane : 1;
  tile.value_pixel_step = shuffled ? 1 : sizeof(float);
  tile.stride_px = static_cast<std::uint64_t>(stride_px);
  tile.orbits_byte = orbits_byte(rows);
  tile.uncertain_byte = list_byte(rows);
  tile.exact_byte = exact_byte(rows);
  tile.constant_re = image.formula.constant_re;
  tile.constant_im = image.formula.constant_im;
  tile.formula = static_cast<std::uint32_t>(image.formula.id);
  tile.degree = static_cast<std::uint32_t>(image.formula.degree);
  tile.iterations = image.short_iterations();
  tile.iterations_bytes = static_cast<std::uint32_t>(iterations_bytes);
  tile.flags = (fields.smooth ? TS_SMOOTH : 0U) | (fields.distance ? TS_DISTANCE : 0U) |
               (fields.fraction ? TS_FRACTION : 0U) | (fields.gradient_x ? TS_GRADIENT_X : 0U) |
               (fields.gradient_y ? TS_GRADIENT_Y : 0U) | (fields.phase ? TS_ANGLE : 0U) |
               (needs_care(image) ? TS_CAREFUL : 0U) | (image.deep() ? TS_DEEP : 0U) |
               (image.bounded() ? TS_BOUNDED : 0U) |
               (image.interior == job::Interior::derivative ? TS_INTERIOR : 0U) |
               (fields.measures() && !image.matrix.is_identity() ? TS_TURNED : 0U);
  return tile;
}

}  // namespace tessera::device::gpu
