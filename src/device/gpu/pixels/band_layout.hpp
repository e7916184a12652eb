// Where the values of a band of pixels lie in a stream's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.hpp"
#include "device/gpu/pixels/launch_pacer.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"
#include "job/image/render_job.hpp"
#include "kernels/deep/scalar.hpp"

namespace tessera::device::gpu {

/// Orbits of the smallest launch that continues them.
// crossed by: cuts_orbits_though_there_is_little_room
inline constexpr std::size_t kMinOrbits = 64;

/// Layout of a band in pixel memory: first iterations, then job::kMoreFields, then the list of
/// uncertain pixels, then the TsExactImage of an exact image, then the orbits that a launch
/// continues, and those that it keeps. Rows have no gaps, or the stride of the chunk if whole
/// planes are copied out at once.
struct BandLayout {
  bool shuffled = false;
  job::MoreFields fields;
  std::int64_t stride_px = 0;
  std::size_t iterations_bytes = 2;  ///< per pixel
  std::size_t listed_bytes = 0;      ///< per pixel, of the list of uncertain ones
  std::size_t exact_bytes = 0;       ///< of the TsExactImage
  std::size_t orbit_bytes = 0;       ///< per pixel, if orbits are cut

  BandLayout(const job::ImageSpec& image, const base::PixelRect& block, const BlockBuffers& out)
      : BandLayout(image, out.plane_px != 0 ? out.stride_px : block.width, out.fields()) {
    shuffled = out.plane_px != 0;
  }
  BandLayout(const job::ImageSpec& image, std::int64_t row_px, const job::MoreFields& more_fields)
      : fields(more_fields),
        stride_px(row_px),
        iterations_bytes(base::element_bytes(job::iterations_type(image))),
        listed_bytes(image.has_place() ? sizeof(std::uint32_t) : 0),
        exact_bytes(image.bounded() ? sizeof(kernels::TsExactImage) : 0),
        orbit_bytes(2 * one_orbit_bytes(image)) {}

  std::size_t pixels(std::int64_t rows) const { return static_cast<std::size_t>(rows * stride_px); }
  std::size_t pixel_bytes() const {
    std::size_t bytes = iterations_bytes;
    for (const job::Field field : job::kMoreFields) bytes += value_bytes(field);
    return bytes;
  }
  std::size_t bytes(std::int64_t rows) const { return pixels(rows) * pixel_bytes(); }
  /// Per pixel.
  std::size_t value_bytes(job::Field field) const { return fields[field] ? sizeof(float) : 0; }
  /// The first byte of one of job::kMoreFields.
  std::size_t byte_of(job::Field field, std::int64_t rows) const {
    std::size_t before = iterations_bytes;
    for (const job::Field other : job::kMoreFields) {
      if (other == field) break;
      before += value_bytes(other);
    }
    return pixels(rows) * before;
  }
  /// Calls use(buffer, first byte in the memory, bytes of an element) for each field.
  void for_each_field(const BlockBuffers& out, std::int64_t rows, const auto& use) const {
    use(out.iterations, std::size_t{0}, iterations_bytes);
    for (const job::Field field : job::kMoreFields) {
      if (!fields[field]) continue;
      use(reinterpret_cast<std::byte*>(out.more()[field]), byte_of(field, rows), sizeof(float));
    }
  }
  std::size_t list_byte(std::int64_t rows) const { return aligned(bytes(rows)); }
  std::size_t exact_byte(std::int64_t rows) const {
    return aligned(list_byte(rows) + pixels(rows) * listed_bytes);
  }
  std::size_t orbits_byte(std::int64_t rows) const {
    return aligned(exact_byte(rows) + exact_bytes);
  }
  /// With the orbits of all pixels.
  std::size_t memory_bytes(std::int64_t rows) const {
    if (listed_bytes == 0 && orbit_bytes == 0) return bytes(rows);
    return orbits_byte(rows) + pixels(rows) * orbit_bytes;
  }
  /// Rows that fit into `capacity` bytes. A single one may have room for some of its orbits only.
  std::int64_t rows_within(std::size_t capacity) const {
    const std::size_t row = memory_bytes(1);
    if (capacity >= row) return static_cast<std::int64_t>(capacity / row);
    const bool some = orbit_bytes != 0 && capacity >= orbits_byte(1) + kMinOrbits * orbit_bytes;
    return some ? 1 : 0;
  }
  /// Orbits for which there is room beside `rows` rows.
  std::int64_t orbits(std::int64_t rows, std::size_t capacity) const {
    return static_cast<std::int64_t>((capacity - orbits_byte(rows)) / orbit_bytes);
  }
  /// The arguments that all launches of a band of `rows` rows share.
  Tile tile(const job::ImageSpec& image, std::int64_t rows) const;

  /// Bytes of the orbit of a pixel that a launch keeps; 0 if all are whole.
  static std::size_t one_orbit_bytes(const job::ImageSpec& image) {
    if (image.deep()) return sizeof(kernels::TsDeepPixel);
    if (!LaunchPacer::cuts(image.short_iterations())) return 0;
    return image.bounded() ? sizeof(kernels::TsBoundedKept) : sizeof(kernels::TsOrbit);
  }
};

}  // namespace tessera::device::gpu
