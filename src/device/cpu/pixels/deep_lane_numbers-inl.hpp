// The numbers of the pixels in the lanes of a vector, and how they come there and back.
#if defined(TESSERA_DEVICE_CPU_PIXELS_DEEP_LANE_NUMBERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_DEEP_LANE_NUMBERS_INL
#undef TESSERA_DEVICE_CPU_PIXELS_DEEP_LANE_NUMBERS_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_DEEP_LANE_NUMBERS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "device/cpu/pixels/deep_differences-inl.hpp"
#include "device/cpu/pixels/deep_numbers-inl.hpp"

// Four numbers are transposed at a time, so vectors must hold four.
#if HWY_MAX_BYTES >= 32

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace deep_lanes {

/// In memory, where single lanes are read and written.
template <class Numbers>
struct SpilledLanes {
  using Pixel = typename Numbers::Pixel;

  typename Numbers::Spilled x, y, c_re, c_im, plain_re, plain_im, saved_x, saved_y;
  HWY_ALIGN double error[kWidth], saved_error[kWidth], slope_re[kWidth], slope_im[kWidth],
      up_re[kWidth], up_im[kWidth], contraction[kWidth];
  HWY_ALIGN std::int64_t m[kWidth], n[kWidth], rebases[kWidth], saved_next[kWidth], steps[kWidth];

  void put(std::size_t lane, const Pixel& p) {
    Numbers::put(x, lane, p.x);
    Numbers::put(y, lane, p.y);
    Numbers::put(c_re, lane, p.c_re);
    Numbers::put(c_im, lane, p.c_im);
    Numbers::put(plain_re, lane, p.plain_re);
    Numbers::put(plain_im, lane, p.plain_im);
    Numbers::put(saved_x, lane, p.saved_x);
    Numbers::put(saved_y, lane, p.saved_y);
    error[lane] = p.error;
    saved_error[lane] = p.saved_error;
    slope_re[lane] = p.slope.re;
    slope_im[lane] = p.slope.im;
    up_re[lane] = p.slope.up_re;
    up_im[lane] = p.slope.up_im;
    contraction[lane] = p.slope.contraction;
    m[lane] = static_cast<std::int64_t>(p.m);
    n[lane] = static_cast<std::int64_t>(p.n);
    rebases[lane] = static_cast<std::int64_t>(p.rebases);
    saved_next[lane] = static_cast<std::int64_t>(p.saved_next);
    steps[lane] = static_cast<std::int64_t>(p.steps);
  }

  void get(std::size_t lane, Pixel& p) const {
    p.x = Numbers::get(x, lane);
    p.y = Numbers::get(y, lane);
    p.saved_x = Numbers::get(saved_x, lane);
    p.saved_y = Numbers::get(saved_y, lane);
    p.error = error[lane];
    p.saved_error = saved_error[lane];
    p.slope = {slope_re[lane], slope_im[lane], up_re[lane], up_im[lane], contraction[lane]};
    p.m = static_cast<std::uint64_t>(m[lane]);
    p.n = static_cast<std::uint64_t>(n[lane]);
    p.rebases = static_cast<std::uint64_t>(rebases[lane]);
    p.saved_next = static_cast<std::uint64_t>(saved_next[lane]);
    p.steps = static_cast<std::uint64_t>(steps[lane]);
  }
};

/// In vectors.
template <class Numbers>
struct LaneNumbers {
  using Number = typename Numbers::Number;
  using Complex = typename Numbers::Complex;

  // A constructor that the compiler makes would not be for the instruction set of the vectors.
  LaneNumbers() {}  // NOLINT(modernize-use-equals-default)

  static HWY_INLINE Number zero() {
    if constexpr (std::is_same_v<Number, TwoReals>) {
      return {hn::Zero(D()), hn::Zero(D())};
    } else {
      return hn::Zero(D());
    }
  }

  Complex z{zero(), zero()}, c{zero(), zero()}, plain_c{zero(), zero()}, saved{zero(), zero()};
  Slopes slopes{{hn::Zero(D()), hn::Zero(D())}, {hn::Zero(D()), hn::Zero(D())}};  ///< if followed
  Real error = hn::Zero(D()), saved_error = hn::Zero(D()), contraction = hn::Zero(D());
  Whole m = hn::Zero(DI()), n = hn::Zero(DI()), rebases = hn::Zero(DI()),
        saved_next = hn::Zero(DI()), steps = hn::Zero(DI());

  void spill(SpilledLanes<Numbers>& at) const {
    Numbers::spill(z.re, at.x);
    Numbers::spill(z.im, at.y);
    Numbers::spill(c.re, at.c_re);
    Numbers::spill(c.im, at.c_im);
    Numbers::spill(plain_c.re, at.plain_re);
    Numbers::spill(plain_c.im, at.plain_im);
    Numbers::spill(saved.re, at.saved_x);
    Numbers::spill(saved.im, at.saved_y);
    hn::Store(error, D(), at.error);
    hn::Store(saved_error, D(), at.saved_error);
    hn::Store(slopes.right.re, D(), at.slope_re);
    hn::Store(slopes.right.im, D(), at.slope_im);
    hn::Store(slopes.up.re, D(), at.up_re);
    hn::Store(slopes.up.im, D(), at.up_im);
    hn::Store(contraction, D(), at.contraction);
    hn::Store(m, DI(), at.m);
    hn::Store(n, DI(), at.n);
    hn::Store(rebases, DI(), at.rebases);
    hn::Store(saved_next, DI(), at.saved_next);
    hn::Store(steps, DI(), at.steps);
  }

  void reload(const SpilledLanes<Numbers>& at) {
    z = {Numbers::reload(at.x), Numbers::reload(at.y)};
    c = {Numbers::reload(at.c_re), Numbers::reload(at.c_im)};
    plain_c = {Numbers::reload(at.plain_re), Numbers::reload(at.plain_im)};
    saved = {Numbers::reload(at.saved_x), Numbers::reload(at.saved_y)};
    error = hn::Load(D(), at.error);
    saved_error = hn::Load(D(), at.saved_error);
    slopes = {{hn::Load(D(), at.slope_re), hn::Load(D(), at.slope_im)},
              {hn::Load(D(), at.up_re), hn::Load(D(), at.up_im)}};
    contraction = hn::Load(D(), at.contraction);
    m = hn::Load(DI(), at.m);
    n = hn::Load(DI(), at.n);
    rebases = hn::Load(DI(), at.rebases);
    saved_next = hn::Load(DI(), at.saved_next);
    steps = hn::Load(DI(), at.steps);
  }
};

}  // namespace deep_lanes
}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HWY_MAX_BYTES

#endif
