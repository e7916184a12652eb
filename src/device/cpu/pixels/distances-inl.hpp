// The distances, gradients and phases of the pixels that escape: their orbits once more, with their
// derivatives where these are needed, in the order of their counts. So the vectors are full, and
// few steps are tested.
#if defined(TESSERA_DEVICE_CPU_PIXELS_DISTANCES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_DISTANCES_INL
#undef TESSERA_DEVICE_CPU_PIXELS_DISTANCES_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_DISTANCES_INL
#endif

#include <algorithm>

#include "device/cpu/pixels/escape_scan-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Lists the pixels that escape as count << 32 | pixel, in order. Returns their number.
inline std::size_t list_by_count(const OrbitLimits& limits, std::size_t pixels, Workspace& work) {
  std::size_t size = 0;
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    const std::uint64_t count = work.counts[pixel];
    if (count < limits.iterations) work.by_count[size++] = count << 32 | pixel;
  }
  std::sort(work.by_count.data(), work.by_count.data() + size);
  return size;
}

struct MeasuredPixels {
  HWY_ALIGN float distance[kScanPixels];
  HWY_ALIGN float gradient_x[kScanPixels];
  HWY_ALIGN float gradient_y[kScanPixels];
  HWY_ALIGN float phase[kScanPixels];
};

/// kScanVectors vectors of orbits.
template <class Formula>
struct MovingGroup {
  TsMoving z[kScanVectors];
  Real c_re[kScanVectors], c_im[kScanVectors];
  Mask within[kScanVectors];

  HWY_INLINE void start(const OrbitLimits& limits, const double* re, const double* im) {
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Real x = hn::Load(Reals(), re + i * kLanes);
      const Real y = hn::Load(Reals(), im + i * kLanes);
      z[i] = ts_moving(x, y, limits.step);
      c_re[i] = Formula::kStartsAtPixel ? ts_real(limits.constant_re) : x;
      c_im[i] = Formula::kStartsAtPixel ? ts_real(limits.constant_im) : y;
    });
  }

  HWY_INLINE void move(const OrbitLimits& limits) {
    if (!limits.derives) {
      each<kScanVectors>(
          [&](auto i) TESSERA_INLINE_LAMBDA { Formula::step(&z[i].x, &z[i].y, c_re[i], c_im[i]); });
      return;
    }
    each<kScanVectors>(
        [&](auto i) TESSERA_INLINE_LAMBDA { Formula::move(&z[i], c_re[i], c_im[i], limits.step); });
  }

  HWY_INLINE bool any_within() {
    Mask any = hn::FirstN(Reals(), 0);
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      within[i] = hn::Le(ts_radius2(z[i].x, z[i].y), ts_real(kSmoothRadius2));
      any = hn::Or(any, within[i]);
    });
    return !hn::AllFalse(Reals(), any);
  }

  /// Moves the lanes that are within.
  HWY_INLINE void move_some(const OrbitLimits& limits) {
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      TsMoving next = z[i];
      Formula::move(&next, c_re[i], c_im[i], limits.step);
      const auto choose = [&](Real yes, Real no)
                              TESSERA_INLINE_LAMBDA { return hn::IfThenElse(within[i], yes, no); };
      z[i] = {choose(next.x, z[i].x),
              choose(next.y, z[i].y),
              choose(next.right_u, z[i].right_u),
              choose(next.right_v, z[i].right_v),
              choose(next.up_u, z[i].up_u),
              choose(next.up_v, z[i].up_v)};
    });
  }

  HWY_INLINE void store(const OrbitLimits& limits, MeasuredPixels& to) const {
    // NaN becomes 0.
    const auto put = [](Real value, float* at) TESSERA_INLINE_LAMBDA {
      store_smooth(hn::IfThenElseZero(hn::Eq(value, value), value), at);
    };
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      if (limits.phase) store_smooth(ts_angle(z[i].x, z[i].y), to.phase + i * kLanes);
      if (!limits.derives) return;
      const Real distance =
          Formula::distance(z[i], limits.turned, limits.turn, ts_radius2(z[i].x, z[i].y));
      put(distance, to.distance + i * kLanes);
      if (!limits.gradient) return;
      const TsSlopes gradient = Formula::gradient(z[i], limits.turned, limits.turn, distance);
      put(gradient.right, to.gradient_x + i * kLanes);
      put(gradient.up, to.gradient_y + i * kLanes);
    });
  }
};

/// Returns the executed orbit steps.
template <class Formula>
HWY_NOINLINE std::uint64_t add_measured(const OrbitLimits& limits, std::size_t pixels,
                                        Workspace& work) {
  if (limits.derives) std::fill_n(work.more.distance.data(), pixels, 0.0f);
  if (limits.gradient) {
    std::fill_n(work.more.gradient_x.data(), pixels, 0.0f);
    std::fill_n(work.more.gradient_y.data(), pixels, 0.0f);
  }
  if (limits.phase) std::fill_n(work.more.phase.data(), pixels, 0.0f);
  const std::size_t size = list_by_count(limits, pixels, work);
  constexpr std::uint64_t kFirst = Formula::kStartsAtPixel ? 0 : 1;  // n of the start
  std::uint64_t executed = 0;
  for (std::size_t base = 0; base < size; base += kScanPixels) {
    if (work.is_unwanted()) break;
    const auto pixel_at = [&](std::size_t k) {
      return static_cast<std::uint32_t>(work.by_count[std::min(base + k, size - 1)]);
    };
    HWY_ALIGN double re[kScanPixels];
    HWY_ALIGN double im[kScanPixels];
    for (std::size_t k = 0; k < kScanPixels; ++k) {
      re[k] = work.re[pixel_at(k)];
      im[k] = work.im[pixel_at(k)];
    }
    MovingGroup<Formula> group;
    group.start(limits, re, im);
    // Before its count, an orbit is within R.
    const bool known = limits.bailout2 <= kSmoothRadius2;
    const std::uint64_t least = std::max(work.by_count[base] >> 32, kFirst);
    std::uint64_t steps = known ? least - kFirst : 0;
    for (std::uint64_t k = 0; k < steps; ++k) group.move(limits);
    for (; group.any_within(); ++steps) group.move_some(limits);
    MeasuredPixels measured;
    group.store(limits, measured);
    const std::size_t filled = std::min(kScanPixels, size - base);
    for (std::size_t k = 0; limits.derives && k < filled; ++k) {
      work.more.distance[pixel_at(k)] = measured.distance[k];
    }
    for (std::size_t k = 0; limits.gradient && k < filled; ++k) {
      work.more.gradient_x[pixel_at(k)] = measured.gradient_x[k];
      work.more.gradient_y[pixel_at(k)] = measured.gradient_y[k];
    }
    for (std::size_t k = 0; limits.phase && k < filled; ++k) {
      work.more.phase[pixel_at(k)] = measured.phase[k];
    }
    executed += steps * filled;
  }
  return executed;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
