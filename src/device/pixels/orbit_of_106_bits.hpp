// An orbit in numbers of 106 bits with a bound of its error, for pixels that f64 leaves open
// (docs/numerics-exact.md). The vectors of device/cpu/pixels/long_passes-inl.hpp have the same
// bits.
#pragma once

#include "device/pixels/exact_orbit.hpp"

namespace tessera::device {

/// Sets the distance and the gradient from the first z beyond the smooth radius.
template <int kFormula>
[[gnu::always_inline]] inline void set_measured(const job::ImageSpec& image,
                                                const kernels::TsMoving& z, double radius2,
                                                ExactPixel& pixel) {
  const int turned = image.matrix.is_identity() ? 0 : 1;
  pixel.distance = kernels::ts_moving_distance(kFormula, z, turned, image.turn(), radius2);
  pixel.gradient = kernels::ts_gradient_of(
      pixel.distance, kernels::ts_slopes_of(kFormula, z, turned, image.turn()));
}

/// The steps of one formula, inlined as those of BoundedOrbit.
template <int kFormula>
class OrbitOf106Bits {
 public:
  [[gnu::always_inline]] OrbitOf106Bits(const ExactWork& work, const kernels::TsLongPoint& at)
      : work_(work),
        limits_(work.exact.limits),
        iterations_(work.image.iterations),
        z_(at),
        c_(at) {
    if (kernels::ts_starts_at_pixel(kFormula) != 0) {
      c_ = {work.exact.plane.constant_re, work.exact.plane.constant_im};
      n_ = 0;
    }
    bound_ = limits_.long_start;
    moving_ = kernels::ts_moving(at.re.hi, at.im.hi, work.image.step());
  }

  /// Goes to z_n, without a test.
  [[gnu::always_inline]] void go_to(std::uint64_t n) {
    while (n_ < n) {
      const double radius2 = kernels::ts_radius2(z_.re.hi, z_.im.hi);
      bound_ = kernels::ts_next_bound(degree(), limits_.long_growth, radius2, bound_);
      step();
    }
  }
  [[gnu::always_inline]] const kernels::TsLongPoint& z() const { return z_; }
  [[gnu::always_inline]] double bound() const { return bound_; }
  [[gnu::always_inline]] std::uint64_t executed() const { return pixel_.executed; }

  [[gnu::always_inline]] ExactPixel run() {
    pixel_.count = iterations_;
    kernels::TsLongPoint saved{};
    double saved_bound = -1;
    std::uint64_t next_save = kExactBlock;
    double before2 = 0, before_bound = 0;
    for (;;) {
      const double radius2 = kernels::ts_radius2(z_.re.hi, z_.im.hi);
      look_for_smooth(radius2);
      const bool within = radius2 <= limits_.bailout2;
      const bool sure_within = kernels::ts_surely_within(radius2, limits_.bailout2, bound_);
      if (!within) {
        if (kernels::ts_surely_beyond(radius2, limits_.bailout2, bound_) &&
            kernels::ts_surely_within(before2, limits_.bailout2, before_bound)) {
          break;
        }
        return pixel_;
      }
      if (n_ >= iterations_ - 1) return sure_within ? counted() : pixel_;
      if ((limits_.careful != 0 && !sure_within) || kernels::ts_is_lost(radius2, bound_))
        return pixel_;
      if (bound_ <= saved_bound && sure_within && same(z_, saved)) return counted();
      if (n_ >= next_save) {
        saved = z_;
        saved_bound = bound_;
        next_save = n_ + n_ / 2;
      }
      before2 = radius2;
      before_bound = bound_;
      bound_ = kernels::ts_next_bound(degree(), limits_.long_growth, radius2, bound_);
      step();
    }
    pixel_.count = n_;
    while (work_.fields.any() && !smooth_found_) {
      step();
      look_for_smooth(kernels::ts_radius2(z_.re.hi, z_.im.hi));
    }
    return counted();
  }

 private:
  [[gnu::always_inline]] int degree() const {
    return kernels::ts_degree_of(kFormula, limits_.degree);
  }

  [[gnu::always_inline]] static bool same(const kernels::TsLongPoint& a,
                                          const kernels::TsLongPoint& b) {
    return a.re.hi == b.re.hi && a.im.hi == b.im.hi && a.re.lo == b.re.lo && a.im.lo == b.im.lo;
  }

  [[gnu::always_inline]] ExactPixel counted() {
    pixel_.certainty = Certainty::counted;
    return pixel_;
  }

  [[gnu::always_inline]] void step() {
    if (work_.fields.measures()) {
      moving_.x = z_.re.hi;
      moving_.y = z_.im.hi;
      kernels::ts_move(kFormula, degree(), &moving_, c_.re.hi, c_.im.hi, work_.image.step());
    }
    z_ = kernels::ts_long_step(kernels::kFormulas[kFormula].fold, degree(), z_, c_);
    ++n_;
    ++pixel_.executed;
  }

  [[gnu::always_inline]] void look_for_smooth(double radius2) {
    if (smooth_found_ || !(radius2 > TS_SMOOTH_RADIUS2)) return;
    smooth_found_ = true;
    pixel_.m = n_;
    pixel_.radius2 = radius2;
    if (!work_.fields.measures()) return;
    moving_.x = z_.re.hi;
    moving_.y = z_.im.hi;
    set_measured<kFormula>(work_.image, moving_, radius2, pixel_);
  }

  const ExactWork& work_;
  const ExactLimits& limits_;
  std::uint64_t iterations_;
  kernels::TsLongPoint z_, c_;
  std::uint64_t n_ = 1;
  double bound_ = 0;
  bool smooth_found_ = false;
  kernels::TsMoving moving_{};
  ExactPixel pixel_;
};

}  // namespace tessera::device
