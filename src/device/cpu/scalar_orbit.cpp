#include "device/cpu/scalar_orbit.hpp"

#include "kernels/pixel/scalar.hpp"

namespace tessera::device::cpu {

namespace {

bool surely_inside(double c_re, double c_im, const OrbitLimits& limits) {
  if (!limits.shortcuts || limits.bailout2 < 4) return false;
  return kernels::ts_disc_multiplier2(c_re, c_im) < kSurelyInside ||
         (kernels::ts_cardioid_test(c_re, c_im) < 0 &&
          kernels::ts_cardioid_multiplier2(c_re, c_im) < kSurelyInside);
}

/// An orbit, the number of its current point and whether it has come back to an earlier one.
struct Orbit {
  double c_re, c_im;
  double x = 0, y = 0;
  std::uint64_t n = 0;
  double saved_x = 0, saved_y = 0;
  std::uint64_t next_save = 16;

  double radius2() const { return kernels::ts_radius2(x, y); }
  void step() {
    kernels::ts_step(&x, &y, c_re, c_im);
    ++n;
  }
  /// Brent (1980): compare with one saved point, renewed at doubling distances.
  bool returned() {
    const bool same = x == saved_x && y == saved_y;
    if (n >= next_save) {
      saved_x = x;
      saved_y = y;
      next_save = 2 * n;
    }
    return same;
  }
};

void write(const PixelValue& value, const Band& band, std::ptrdiff_t at) {
  if (job::iterations_type(band.image) == base::ElementType::u16) {
    reinterpret_cast<std::uint16_t*>(band.out.iterations)[at] =
        static_cast<std::uint16_t>(value.iterations);
  } else {
    reinterpret_cast<std::uint32_t*>(band.out.iterations)[at] = value.iterations;
  }
  if (band.out.smooth != nullptr) band.out.smooth[at] = value.smooth;
}

}  // namespace

OrbitLimits orbit_limits(const Band& band) {
  return {band.image.iterations, band.image.bailout * band.image.bailout,
          band.out.smooth != nullptr, band.shortcuts};
}

PixelValue scalar_orbit(double c_re, double c_im, const OrbitLimits& limits) {
  const PixelValue never{limits.iterations, static_cast<float>(limits.iterations), 0};
  if (surely_inside(c_re, c_im, limits)) return never;
  Orbit orbit{c_re, c_im};
  std::uint64_t m = 0;  // first point beyond the smooth radius, once there is one
  double m_radius2 = 0;
  while (orbit.n < limits.iterations && !(orbit.radius2() > limits.bailout2)) {
    if (m == 0 && orbit.radius2() > kSmoothRadius2) {
      m = orbit.n;
      m_radius2 = orbit.radius2();
    }
    orbit.step();
    if (limits.shortcuts && orbit.returned()) return {never.iterations, never.smooth, orbit.n};
  }
  const std::uint64_t n = orbit.n;
  if (n == limits.iterations) return {never.iterations, never.smooth, n};
  while (limits.smooth && m == 0) {
    if (orbit.radius2() > kSmoothRadius2) {
      m = orbit.n;
      m_radius2 = orbit.radius2();
    } else {
      orbit.step();
    }
  }
  const double smooth = limits.smooth ? kernels::ts_smooth(static_cast<double>(m), m_radius2) : 0;
  return {static_cast<std::uint32_t>(n), static_cast<float>(smooth), orbit.n};
}

BlockCounts render_scalar(const Band& band) {
  const OrbitLimits limits = orbit_limits(band);
  const base::ImageSize size_px = band.image.size_px;
  const double half_width = static_cast<double>(size_px.width) / 2;
  const double half_height = static_cast<double>(size_px.height) / 2;
  const double step = band.image.step();
  BlockCounts counts;
  for (std::int64_t row = 0; row < band.rect.height; ++row) {
    const double c_im = kernels::ts_row_im(static_cast<double>(band.rect.y + row), half_height,
                                           step, band.image.center_im);
    for (std::int64_t column = 0; column < band.rect.width; ++column) {
      const double c_re = kernels::ts_column_re(static_cast<double>(band.rect.x + column),
                                                half_width, step, band.image.center_re);
      const PixelValue value = scalar_orbit(c_re, c_im, limits);
      write(value, band, row * band.out.stride_px + column);
      counts += {value.iterations, value.executed};
    }
  }
  return counts;
}

}  // namespace tessera::device::cpu
