// The memory of a lane for a band of a wide image with exact arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/cpu/pixels/workspace.hpp"
#include "device/pixels/exact_limits.hpp"

namespace tessera::device::cpu {

/// Orbits in f64 with their bounds: all at the same n in the list of active ones, and at the n of
/// `origin` in the list of those that leave.
struct BoundedList {
  std::size_t size = 0;
  BandArray<double> x, y, c_re, c_im, bound;
  BandArray<double> saved_x, saved_y, saved_bound;
  BandArray<std::uint64_t> origin;  ///< pixel | n of (x, y) << 32
};

/// Orbits of 106 bits.
struct LongList {
  std::size_t size = 0;
  BandArray<double> x_hi, x_lo, y_hi, y_lo, c_re_hi, c_re_lo, c_im_hi, c_im_lo, bound, n;
  BandArray<double> saved_x_hi, saved_x_lo, saved_y_hi, saved_y_lo, saved_bound, next_save;
  BandArray<double> before_radius2, before_bound;
  BandArray<double> right_u, right_v, up_u, up_v;
  BandArray<double> count;         ///< below 0 until it is known
  BandArray<double> m, m_radius2;  ///< 0 until they are known
  BandArray<double> distance, gradient_x, gradient_y, phase;
  BandArray<std::uint64_t> pixel;
};

struct ExactWorkspace {
  ExactImage image{};
  job::ImageSpec of_image;  ///< whose limits and plane `image` has
  BandArray<double> column_re_hi, column_re_lo, column_im_hi, column_im_lo;
  BoundedList active, leaving;
  LongList long_orbits;
  /// Pixels whose counts f64 leaves open, then 106 bits: pixel | n << 32 with the n at which f64
  /// has given up.
  std::vector<std::uint64_t> open;
};

}  // namespace tessera::device::cpu
