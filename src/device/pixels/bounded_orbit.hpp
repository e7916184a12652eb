// An orbit in f64 with a bound of its error (docs/numerics-exact.md). The vectors of
// device/cpu/pixels/bounded_group-inl.hpp have the same bits.
#pragma once

#include <algorithm>

#include "device/pixels/exact_orbit.hpp"

namespace tessera::device {

struct ConstantPoint {
  double re = 0, im = 0;
};

/// An orbit at z_n, before any test of it.
struct BoundedState {
  double x = 0, y = 0;
  double bound = 0;
  std::uint64_t n = 0;
  std::size_t quick = 0;  ///< index of the QuickBound that `bound` has joined; 0 = none
};

/// The steps of one formula. The calls are inlined into functions that are compiled with and
/// without FMA.
template <int kFormula>
class BoundedOrbit {
 public:
  [[gnu::always_inline]] BoundedOrbit(const ExactWork& work, const kernels::TsLongPoint& at)
      : limits_(work.exact.limits),
        iterations_(work.image.iterations),
        smooth_(work.fields.any()),
        shortcuts_(work.shortcuts) {
    const bool constant = kernels::ts_starts_at_pixel(kFormula) != 0;
    c_ = constant ? ConstantPoint{work.image.formula.constant_re, work.image.formula.constant_im}
                  : ConstantPoint{at.re.hi, at.im.hi};
    const double radius2 = kernels::ts_radius2(at.re.hi, at.im.hi);
    state_ = {.x = at.re.hi,
              .y = at.im.hi,
              .bound = kernels::ts_fma(limits_.start_relative, radius2, limits_.start_absolute),
              .n = constant ? 0U : 1U};
  }

  /// Begins at z_n of 106 bits.
  [[gnu::always_inline]] void begin_at(const kernels::TsLongPoint& z, double bound,
                                       std::uint64_t n) {
    const double radius2 = kernels::ts_radius2(z.re.hi, z.im.hi);
    state_ = {.x = z.re.hi,
              .y = z.im.hi,
              .bound = kernels::ts_fma(2.0, bound, 2 * limits_.start_relative * radius2),
              .n = n};
    start_ = n;
  }

  /// The orbit after begin_at().
  [[gnu::always_inline]] ExactPixel run_again() {
    pixel_.count = iterations_;
    const double radius2 = kernels::ts_radius2(state_.x, state_.y);
    if (!kernels::ts_surely_within(radius2, limits_.within2, state_.bound)) return pixel_;
    return follow();
  }

  [[gnu::always_inline]] ExactPixel run() {
    pixel_.count = iterations_;
    if (shortcuts_ && kernels::ts_surely_inside(kFormula, c_.re, c_.im)) return counted();
    // An orbit from 0 begins within every R.
    if (iterations_ == 1 && state_.n == 1) return counted();
    if (limits_.careful || state_.n >= iterations_ - 1) return careful();
    return follow();
  }

 private:
  [[gnu::always_inline]] ExactPixel follow() {
    BoundedState saved{.n = 0};
    std::uint64_t next_save = kExactBlock;
    while (state_.n < iterations_ - 1) {
      // An orbit after begin_at() has whole blocks only.
      if (start_ != 0 && state_.n + kExactBlock > iterations_ - 1) return leaving(state_);
      if (state_.n - start_ >= kExactBlock) join(quick_of(state_.n - start_));
      const BoundedState before = state_;
      double most = 0;
      block(most);
      pixel_.executed += state_.n - before.n;
      const double radius2 = kernels::ts_radius2(state_.x, state_.y);
      if (!(most <= TS_BOUND_MOST) ||
          !kernels::ts_surely_within(radius2, limits_.within2, state_.bound)) {
        return leaving(before);
      }
      // The same steps with the same bounds would follow for ever.
      if (shortcuts_ && saved.n != 0 && state_.x == saved.x && state_.y == saved.y &&
          state_.bound <= saved.bound) {
        return counted();
      }
      if (state_.n >= next_save) {
        saved = state_;
        next_save = state_.n + state_.n / 2;
      }
    }
    return counted();
  }

  static constexpr bool kSquares =
      kernels::kFormulas[kFormula].parameter != kernels::TS_PARAMETER_DEGREE;

  [[gnu::always_inline]] int degree() const { return kSquares ? 2 : limits_.degree; }

  [[gnu::always_inline]] ExactPixel counted() {
    pixel_.certainty = Certainty::counted;
    return pixel_;
  }

  /// The quick steps of one block. `most`: the largest bound in it.
  [[gnu::always_inline]] void block(double& most) {
    const std::uint64_t end = std::min(state_.n + kExactBlock, iterations_ - 1);
    const bool first = state_.n - start_ < kExactBlock;
    const std::size_t quick = quick_of(state_.n - start_);
    const std::uint64_t start = state_.n;
    while (state_.n < end) {
      join(first ? quick_of(state_.n - start) : quick);
      const std::uint64_t steps = std::min<std::uint64_t>(kExactQuick, end - state_.n);
      quick_steps(limits_.quick[state_.quick], steps, most);
    }
  }

  [[gnu::always_inline]] void join(std::size_t quick) {
    if (quick == state_.quick) return;
    state_.quick = quick;
    const QuickBound& bound = limits_.quick[quick];
    state_.bound = kernels::ts_fma(state_.bound, bound.scale, bound.joins) * bound.unscaled;
  }

  [[gnu::always_inline]] void quick_steps(const QuickBound& quick, std::uint64_t steps,
                                          double& most) {
    const double base = kernels::ts_bound_base(degree(), c_.re);
    double scaled = state_.bound * quick.scale;
    most = std::max(most, state_.bound);
    if (kSquares && steps == kExactQuick) {
      const double above = base + scaled;
      for (const double added : quick.added) step(above, added, scaled);
      scaled *= quick.of_all;
    } else {
      for (std::uint64_t i = 0; i < steps; ++i) {
        step(base + scaled, quick.single_added, scaled);
        scaled *= quick.of_single;
        if (!kSquares) most = std::max(most, scaled * quick.unscaled);
      }
    }
    state_.bound = scaled * quick.unscaled;
    state_.n += steps;
    most = std::max(most, state_.bound);
  }

  [[gnu::always_inline]] void step(double above, double added, double& bound) {
    kernels::ts_bounded_step(kFormula, degree(), &state_.x, &state_.y, c_.re, c_.im, above, added,
                             &bound);
  }

  [[gnu::always_inline]] void next(BoundedState& state) {
    kernels::ts_step(kFormula, degree(), &state.x, &state.y, c_.re, c_.im);
    ++state.n;
    ++pixel_.executed;
  }

  [[gnu::always_inline]] void look_for_smooth(const BoundedState& state, double radius2) {
    if (pixel_.radius2 != 0 || !(radius2 > TS_SMOOTH_RADIUS2)) return;
    pixel_.m = state.n;
    pixel_.radius2 = radius2;
  }

  /// Follows an orbit that is surely beyond R to its smooth count.
  [[gnu::always_inline]] ExactPixel beyond(BoundedState& state) {
    pixel_.count = state.n;
    while (smooth_ && pixel_.radius2 == 0) {
      next(state);
      look_for_smooth(state, kernels::ts_radius2(state.x, state.y));
    }
    return counted();
  }

  /// An orbit of an image whose orbits may come back within R: every |z| has to be surely on one
  /// side of R.
  [[gnu::always_inline]] ExactPixel careful() {
    BoundedState& state = state_;
    for (;;) {
      const double radius2 = kernels::ts_radius2(state.x, state.y);
      look_for_smooth(state, radius2);
      if (kernels::ts_surely_beyond(radius2, limits_.bailout2, state.bound)) return beyond(state);
      if (!kernels::ts_surely_within(radius2, limits_.bailout2, state.bound)) return pixel_;
      if (state.n == iterations_ - 1) return counted();
      state.bound = kernels::ts_next_bound(degree(), limits_.growth, radius2, state.bound);
      next(state);
    }
  }

  /// An orbit that is not surely within R at the end of the block that begins with `state`, or has
  /// too large a bound there. It never comes back. So its count is certain if z is surely beyond R
  /// where it leaves, and the z before is surely within.
  [[gnu::always_inline]] ExactPixel leaving(BoundedState state) {
    if (limits_.known && start_ == 0 && state.n < kExactBlock && leaves_early(state)) {
      return pixel_;
    }
    double before2 = 0, before_bound = 0;
    for (;;) {
      const double radius2 = kernels::ts_radius2(state.x, state.y);
      look_for_smooth(state, radius2);
      const bool within = radius2 <= limits_.bailout2;
      pixel_.open_at = state.n;
      if (within && kernels::ts_is_lost(radius2, state.bound)) return pixel_;
      if (!within || state.n == iterations_ - 1) {
        const bool sure =
            within ? kernels::ts_surely_within(radius2, limits_.bailout2, state.bound)
                   : kernels::ts_surely_beyond(radius2, limits_.bailout2, state.bound) &&
                         kernels::ts_surely_within(before2, limits_.bailout2, before_bound);
        if (!sure) return pixel_;
        return within ? counted() : beyond(state);
      }
      before2 = radius2;
      before_bound = state.bound;
      state.bound = kernels::ts_next_bound(degree(), limits_.growth, radius2, state.bound);
      next(state);
    }
  }

  /// Counts an orbit that leaves in its first block, whose errors are known beforehand. False, with
  /// the pixel as before, if the orbit stays within R.
  [[gnu::always_inline]] bool leaves_early(BoundedState state) {
    const std::uint64_t steps = std::min<std::uint64_t>(kExactBlock, iterations_ - 1 - state.n);
    for (std::uint64_t i = 0;; ++i) {
      const double radius2 = kernels::ts_radius2(state.x, state.y);
      look_for_smooth(state, radius2);
      if (!(radius2 <= limits_.least2[i])) {
        if (radius2 > limits_.most2[i]) beyond(state);
        return true;
      }
      if (i == steps) break;
      next(state);
    }
    pixel_.m = 0;
    pixel_.radius2 = 0;
    return false;
  }

  const ExactLimits& limits_;
  std::uint64_t iterations_;
  bool smooth_, shortcuts_;
  ConstantPoint c_;
  BoundedState state_;
  std::uint64_t start_ = 0;  ///< n of begin_at()
  ExactPixel pixel_;
};

}  // namespace tessera::device
