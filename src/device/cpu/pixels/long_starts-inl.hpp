// Open pixels that are begun again in f64, after their first steps in 106 bits. The bits are those
// of ts_follow_again() in kernels/pixel/long_orbit.h.
#if defined(TESSERA_DEVICE_CPU_PIXELS_LONG_STARTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_LONG_STARTS_INL
#undef TESSERA_DEVICE_CPU_PIXELS_LONG_STARTS_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_LONG_STARTS_INL
#endif

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "device/cpu/pixels/long_list-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// kLongVectors vectors of the list, without a test.
template <class Formula>
struct LongStart {
  LongPoints points[kLongVectors];

  HWY_INLINE void load(LongList& list, std::size_t first) {
    each<kLongVectors>(
        [&](auto i) TESSERA_INLINE_LAMBDA { points[i] = points_at(list, first + i * kLanes); });
  }

  HWY_INLINE void step(const ExactLimits& limits) {
    each<kLongVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      auto& [z, c, bound] = points[i];
      const Real radius2 = ts_radius2(z.re.hi, z.im.hi);
      bound = ts_next_bound(Formula::kDegree, limits.long_growth, radius2, bound);
      z = ts_long_step(Formula::kFold, Formula::kDegree, z, c);
    });
  }

  /// Stores the z of lanes whose `targets` are n, with the bounds of the orbits in f64 that begin
  /// there.
  HWY_INLINE void store(const ExactLimits& limits, double n, const double* targets,
                        BoundedList& list, std::size_t first) const {
    each<kLongVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = first + i * kLanes;
      const Mask here = hn::Eq(hn::Load(Reals(), targets + i * kLanes), ts_real(n));
      const auto put = [&](Real value, BandArray<double>& to) TESSERA_INLINE_LAMBDA {
        hn::Store(hn::IfThenElse(here, value, hn::Load(Reals(), &to[at])), Reals(), &to[at]);
      };
      const auto& [z, c, bound] = points[i];
      const Real radius2 = ts_radius2(z.re.hi, z.im.hi);
      put(z.re.hi, list.x);
      put(z.im.hi, list.y);
      put(c.re.hi, list.c_re);
      put(c.im.hi, list.c_im);
      put(ts_fma(ts_real(2.0), bound, ts_mul(ts_real(2 * limits.start_relative), radius2)),
          list.bound);
    });
  }
};

/// Takes the open pixels that are begun again from exact.open, in the order of their n.
inline std::vector<std::uint64_t> take_again(const ExactWork& of, ExactWorkspace& exact) {
  std::vector<std::uint64_t> again;
  if (of.fields.measures()) return again;
  const auto is_again = [](std::uint64_t open) {
    return kernels::ts_long_steps_before(open >> 32) != 0;
  };
  std::copy_if(exact.open.begin(), exact.open.end(), std::back_inserter(again), is_again);
  std::erase_if(exact.open, is_again);
  std::sort(again.begin(), again.end());
  return again;
}

/// Makes the active list of these pixels: z_n of 106 bits, n = ts_long_steps_before(). Returns
/// the executed orbit steps.
template <class Formula>
HWY_NOINLINE std::uint64_t start_again(const ExactWork& of, const base::PixelRect& rect,
                                       const std::vector<std::uint64_t>& again,
                                       ExactWorkspace& exact) {
  constexpr std::size_t kPixels = kLongVectors * kLanes;
  constexpr std::uint64_t kFirst = Formula::kStartsAtPixel ? 0 : 1;
  const ExactLimits& limits = of.exact.limits;
  fill_long(of, rect, Formula::kStartsAtPixel, again, exact.long_orbits);
  exact.long_orbits.size = 0;
  BoundedList& list = exact.active;
  std::uint64_t executed = 0;
  for (std::size_t first = 0; first < again.size(); first += kPixels) {
    HWY_ALIGN double targets[kPixels] = {};
    const std::size_t filled = std::min(kPixels, again.size() - first);
    for (std::size_t k = 0; k < filled; ++k) {
      const std::uint64_t n = kernels::ts_long_steps_before(again[first + k] >> 32);
      targets[k] = static_cast<double>(n);
      list.origin[first + k] = static_cast<std::uint32_t>(again[first + k]) | n << 32;
    }
    const auto most = static_cast<std::uint64_t>(targets[filled - 1]);
    LongStart<Formula> group;
    group.load(exact.long_orbits, first);
    for (std::uint64_t n = kFirst + 1; n <= most; ++n) {
      group.step(limits);
      if (static_cast<double>(n) >= targets[0]) {
        group.store(limits, static_cast<double>(n), targets, list, first);
      }
    }
    executed += (most - kFirst) * filled;
  }
  list.size = again.size();
  return executed;
}

/// Moves pixels of the active list that are not surely within to the list of open ones.
inline void drop_unsure(const ExactLimits& limits, BoundedList& list, ExactWorkspace& exact) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < list.size; ++at) {
    const double radius2 = std::fma(list.x[at], list.x[at], list.y[at] * list.y[at]);
    if (!kernels::ts_surely_within(radius2, limits.within2, list.bound[at])) {
      exact.open.push_back(static_cast<std::uint32_t>(list.origin[at]));
      continue;
    }
    for (auto* const values : {&list.x, &list.y, &list.c_re, &list.c_im, &list.bound}) {
      (*values)[kept] = (*values)[at];
    }
    list.saved_bound[kept] = -1;
    list.origin[kept++] = list.origin[at];
  }
  list.size = kept;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
