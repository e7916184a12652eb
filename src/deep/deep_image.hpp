// An image beyond f64's resolution: its place as decimals, and what is computed once for all of its
// pixels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/geometry.hpp"
#include "deep/formula.hpp"
#include "deep/jump_table.hpp"
#include "deep/precise_tables.hpp"
#include "deep/reference_orbit.hpp"
#include "kernels/deep/scalar.hpp"
#include "kernels/deep/scaled.hpp"
#include "plane/matrix.hpp"

namespace tessera::deep {

/// Everything that the pixels of a deep image depend on.
struct Place {
  std::string center_re, center_im;  ///< decimals of any length
  std::string width;                 ///< a decimal, above 0
  base::ImageSize size_px;
  std::uint64_t iterations = 1000;  ///< N
  double bailout = 2;               ///< R
  bool exact = true;                ///< pixels whose count f64 leaves uncertain are computed again
  bool smooth = false;
  bool distance = false;
  bool derivative_interior = false;  ///< pixels are inside where the derivative's test says so
  Formula formula;
  plane::Matrix matrix;  ///< from pixels to the plane

  friend bool operator==(const Place&, const Place&) = default;
};

struct DeepImage {
  std::uint64_t number = 0;  ///< number of this image in this process, from 1
  Place place;
  std::shared_ptr<const ReferenceOrbit> orbit;
  JumpTable table;
  std::int64_t unit_exponent =
      0;  ///< c is in units of 2^unit_exponent, which is above |c| of every pixel
  kernels::DoubleDouble unit_step;  ///< between pixels, in that unit
  kernels::TsDeepLimits limits{};
  std::shared_ptr<PreciseTables> precise;
};

/// Distance of a pixel's centre from the image's, in pixels.
inline double column_offset(const Place& place, std::int64_t column) {
  return (static_cast<double>(column) + 0.5) - static_cast<double>(place.size_px.width) / 2;
}
inline double row_offset(const Place& place, std::int64_t row) {
  return static_cast<double>(place.size_px.height) / 2 - (static_cast<double>(row) + 0.5);
}

/// Distance of neighbouring pixels: width / W.
kernels::ScaledReal step_of(const Place& place);
/// The least distance of pixels, where a matrix brings some closer together.
kernels::ScaledReal least_step_of(const Place& place);

/// How far a pixel is from the image's centre, in steps: exactly.
struct Offset {
  BigReal re, im;
};
Offset offset_of(const Place& place, double column_offset, double row_offset);

/// The pixel by its definition, with MPFR: no reference orbit, no jumps. With as many bits as
/// the count needs.
CountedPixel pixel_by_definition(const Place& place, std::int64_t column, std::int64_t row);

/// The centre with the bits that its orbit needs, and where that orbit ends. Throws a usage error
/// for text that is not a decimal number.
OrbitStart orbit_start(const Place& place);
OrbitStart orbit_start(const Place& place, std::int64_t bits);
OrbitLimits orbit_limits(const Place& place);
/// The reference orbit of the centre, and in a Julia set that of 0. Throws a usage error for text
/// that is not a decimal number.
ReferenceOrbit orbit_of(const Place& place, const OrbitProgress& progress = {});
/// Bits of the numbers of that orbit.
std::int64_t orbit_bits(const Place& place);

/// Makes the table of the centre's reference orbit.
DeepImage make_image(const Place& place, std::shared_ptr<const ReferenceOrbit> orbit);
DeepImage make_image(const Place& place, ReferenceOrbit orbit);
/// The same with an orbit that it computes.
DeepImage prepare_image(const Place& place);

}  // namespace tessera::deep
