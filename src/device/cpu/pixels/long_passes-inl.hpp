// Orbits of 106 bits, for the pixels that f64 leaves open. The bits are those of
// kernels/pixel/long_orbit.h.
#if defined(TESSERA_DEVICE_CPU_PIXELS_LONG_PASSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_LONG_PASSES_INL
#undef TESSERA_DEVICE_CPU_PIXELS_LONG_PASSES_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_LONG_PASSES_INL
#endif

#include <algorithm>
#include <vector>

#include "device/cpu/pixels/long_list-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// kLongVectors vectors of the list, from `first`.
template <class Formula, bool kSmooth, bool kDistance>
struct LongGroup {
  static constexpr int kDegree = Formula::kDegree;
  TsLongPoint z[kLongVectors], c[kLongVectors];
  Real bound[kLongVectors], n[kLongVectors], count[kLongVectors], m[kLongVectors],
      m_radius2[kLongVectors], distance[kLongVectors], phase[kLongVectors];
  TsSlopes gradient[kLongVectors];
  Real before_radius2[kLongVectors], before_bound[kLongVectors];  // 0 for none
  Mask counting[kLongVectors], following[kLongVectors], open[kLongVectors];
  TsMoving moving[kDistance ? kLongVectors : 1];

  HWY_INLINE void load(LongList& list, std::size_t first) {
    each<kLongVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = first + i * kLanes;
      const auto get = [&](BandArray<double>& from)
                           TESSERA_INLINE_LAMBDA { return hn::Load(Reals(), &from[at]); };
      const LongPoints points = points_at(list, at);
      z[i] = points.z;
      c[i] = points.c;
      bound[i] = points.bound;
      n[i] = get(list.n);
      count[i] = get(list.count);
      m[i] = get(list.m);
      m_radius2[i] = get(list.m_radius2);
      distance[i] = get(list.distance);
      gradient[i] = {get(list.gradient_x), get(list.gradient_y)};
      phase[i] = get(list.phase);
      before_radius2[i] = get(list.before_radius2);
      before_bound[i] = get(list.before_bound);
      const std::size_t filled = list.size > at ? std::min(list.size - at, kLanes) : 0;
      const Mask in_list = hn::FirstN(Reals(), filled);
      counting[i] = hn::And(in_list, hn::Lt(count[i], hn::Zero(Reals())));
      following[i] = kSmooth ? hn::And(in_list, hn::Eq(m_radius2[i], hn::Zero(Reals())))
                             : hn::FirstN(Reals(), 0);
      open[i] = hn::FirstN(Reals(), 0);
      if constexpr (kDistance) {
        moving[i] = {z[i].re.hi,        z[i].im.hi,     get(list.right_u),
                     get(list.right_v), get(list.up_u), get(list.up_v)};
      }
    });
  }

  HWY_INLINE void test_and_step(const ExactLimits& limits, const OrbitLimits& orbit, Real last) {
    const Real bailout2 = ts_real(limits.bailout2);
    each<kLongVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Real size2 = ts_radius2(z[i].re.hi, z[i].im.hi);
      if constexpr (kSmooth) find_smooth(i, size2, orbit);
      const Mask within = hn::Le(size2, bailout2);
      const Mask beyond = hn::AndNot(within, counting[i]);
      const Mask ends = hn::And(counting[i], hn::And(within, hn::Ge(n[i], last)));
      const Mask lost = hn::And(counting[i], hn::And(within, ts_is_lost(size2, bound[i])));
      if (HWY_UNLIKELY(!hn::AllFalse(Reals(), hn::Or(beyond, hn::Or(ends, lost))))) {
        end(i, limits, size2, beyond, ends, lost, last);
      }
      before_radius2[i] = size2;
      before_bound[i] = bound[i];
      bound[i] = ts_next_bound(kDegree, limits.long_growth, size2, bound[i]);
      if constexpr (kDistance) {
        moving[i].x = z[i].re.hi;
        moving[i].y = z[i].im.hi;
        Formula::move(&moving[i], c[i].re.hi, c[i].im.hi, orbit.step);
      }
      z[i] = ts_long_step(Formula::kFold, kDegree, z[i], c[i]);
      n[i] = hn::Add(n[i], ts_real(1.0));
    });
  }

  /// Ends lanes that are beyond R, at their last n, or lost.
  template <class Index>
  HWY_INLINE void end(Index i, const ExactLimits& limits, Real size2, Mask beyond, Mask ends,
                      Mask lost, Real last) {
    const Real bailout2 = ts_real(limits.bailout2);
    const Mask sure_beyond =
        hn::And(hn::And(beyond, ts_surely_beyond(size2, bailout2, bound[i])),
                ts_surely_within(before_radius2[i], bailout2, before_bound[i]));
    const Mask sure_within = hn::And(ends, ts_surely_within(size2, bailout2, bound[i]));
    const Mask over = hn::Or(beyond, hn::Or(ends, lost));
    const Mask unsure = hn::AndNot(hn::Or(sure_beyond, sure_within), over);
    count[i] = hn::IfThenElse(sure_beyond, n[i], count[i]);
    count[i] = hn::IfThenElse(sure_within, hn::Add(last, ts_real(1.0)), count[i]);
    open[i] = hn::Or(open[i], unsure);
    counting[i] = hn::AndNot(over, counting[i]);
    following[i] = hn::AndNot(hn::Or(sure_within, unsure), following[i]);
  }

  template <class Index>
  HWY_INLINE void find_smooth(Index i, Real radius2, const OrbitLimits& orbit) {
    const Mask found = hn::And(following[i], hn::Gt(radius2, ts_real(kSmoothRadius2)));
    if (HWY_LIKELY(hn::AllFalse(Reals(), found))) return;
    m[i] = hn::IfThenElse(found, n[i], m[i]);
    m_radius2[i] = hn::IfThenElse(found, radius2, m_radius2[i]);
    following[i] = hn::AndNot(found, following[i]);
    if constexpr (kDistance) {
      TsMoving at = moving[i];
      at.x = z[i].re.hi;
      at.y = z[i].im.hi;
      const Real value = Formula::distance(at, orbit.turned, orbit.turn, radius2);
      const TsSlopes slopes = Formula::gradient(at, orbit.turned, orbit.turn, value);
      distance[i] = hn::IfThenElse(found, value, distance[i]);
      gradient[i] = {hn::IfThenElse(found, slopes.right, gradient[i].right),
                     hn::IfThenElse(found, slopes.up, gradient[i].up)};
      phase[i] = hn::IfThenElse(found, ts_angle(at.x, at.y), phase[i]);
    }
  }

  HWY_INLINE bool any_left() const {
    Mask any = hn::Or(counting[0], following[0]);
    each<kLongVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      any = hn::Or(any, hn::Or(counting[i], following[i]));
    });
    return !hn::AllFalse(Reals(), any);
  }

  /// Ends lanes that return to the saved z with no larger a bound, and saves z now and then.
  HWY_INLINE void find_returned(LongList& list, std::size_t first, Real bailout2, Real last) {
    each<kLongVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = first + i * kLanes;
      const auto same = [&](Real value, BandArray<double>& saved) TESSERA_INLINE_LAMBDA {
        return hn::Eq(value, hn::Load(Reals(), &saved[at]));
      };
      Mask returned =
          hn::And(counting[i], hn::Le(bound[i], hn::Load(Reals(), &list.saved_bound[at])));
      returned = hn::And(
          returned, hn::And(same(z[i].re.hi, list.saved_x_hi), same(z[i].re.lo, list.saved_x_lo)));
      returned = hn::And(
          returned, hn::And(same(z[i].im.hi, list.saved_y_hi), same(z[i].im.lo, list.saved_y_lo)));
      returned = hn::And(returned,
                         ts_surely_within(ts_radius2(z[i].re.hi, z[i].im.hi), bailout2, bound[i]));
      count[i] = hn::IfThenElse(returned, hn::Add(last, ts_real(1.0)), count[i]);
      counting[i] = hn::AndNot(returned, counting[i]);
      following[i] = hn::AndNot(returned, following[i]);
      const Real next = hn::Load(Reals(), &list.next_save[at]);
      const Mask due = hn::Ge(n[i], next);
      const auto save = [&](Real value, BandArray<double>& saved) TESSERA_INLINE_LAMBDA {
        const Real old = hn::Load(Reals(), &saved[at]);
        hn::Store(hn::IfThenElse(due, value, old), Reals(), &saved[at]);
      };
      save(z[i].re.hi, list.saved_x_hi);
      save(z[i].re.lo, list.saved_x_lo);
      save(z[i].im.hi, list.saved_y_hi);
      save(z[i].im.lo, list.saved_y_lo);
      save(bound[i], list.saved_bound);
      save(hn::Mul(n[i], ts_real(1.5)), list.next_save);
    });
  }

  /// Moves the lanes that are left to list[kept...]. Returns the new value of `kept`.
  HWY_INLINE std::size_t keep(LongList& list, std::size_t first, std::size_t kept) const {
    each<kLongVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = first + i * kLanes;
      const Mask left = hn::Or(counting[i], following[i]);
      const auto put = [&](Real value, BandArray<double>& to)
                           TESSERA_INLINE_LAMBDA { append(value, left, &to[kept]); };
      const auto move = [&](BandArray<double>& of) TESSERA_INLINE_LAMBDA {
        append(hn::Load(Reals(), &of[at]), left, &of[kept]);
      };
      put(z[i].re.hi, list.x_hi);
      put(z[i].re.lo, list.x_lo);
      put(z[i].im.hi, list.y_hi);
      put(z[i].im.lo, list.y_lo);
      put(c[i].re.hi, list.c_re_hi);
      put(c[i].re.lo, list.c_re_lo);
      put(c[i].im.hi, list.c_im_hi);
      put(c[i].im.lo, list.c_im_lo);
      put(bound[i], list.bound);
      put(n[i], list.n);
      put(count[i], list.count);
      put(m[i], list.m);
      put(m_radius2[i], list.m_radius2);
      put(distance[i], list.distance);
      put(gradient[i].right, list.gradient_x);
      put(gradient[i].up, list.gradient_y);
      put(phase[i], list.phase);
      put(before_radius2[i], list.before_radius2);
      put(before_bound[i], list.before_bound);
      move(list.saved_x_hi);
      move(list.saved_x_lo);
      move(list.saved_y_hi);
      move(list.saved_y_lo);
      move(list.saved_bound);
      move(list.next_save);
      if constexpr (kDistance) {
        put(moving[i].right_u, list.right_u);
        put(moving[i].right_v, list.right_v);
        put(moving[i].up_u, list.up_u);
        put(moving[i].up_v, list.up_v);
      }
      append(hn::Load(Bits(), &list.pixel[at]), left, &list.pixel[kept]);
      kept += hn::CountTrue(Reals(), left);
    });
    return kept;
  }

  /// Stores the values of the lanes that are done, and lists those that are open.
  HWY_INLINE void finish(const ExactWork& of, LongList& list, std::size_t first, Workspace& work,
                         std::vector<std::uint64_t>& still_open) const {
    each<kLongVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      HWY_ALIGN double counts[kLanes], ms[kLanes], radii[kLanes], distances[kLanes], rights[kLanes],
          ups[kLanes], phases[kLanes], is_open[kLanes], is_left[kLanes];
      const Real zero = hn::Zero(Reals()), one = ts_real(1.0);
      hn::Store(count[i], Reals(), counts);
      hn::Store(m[i], Reals(), ms);
      hn::Store(m_radius2[i], Reals(), radii);
      hn::Store(distance[i], Reals(), distances);
      hn::Store(gradient[i].right, Reals(), rights);
      hn::Store(gradient[i].up, Reals(), ups);
      hn::Store(phase[i], Reals(), phases);
      hn::Store(hn::IfThenElse(open[i], one, zero), Reals(), is_open);
      hn::Store(hn::IfThenElse(hn::Or(counting[i], following[i]), one, zero), Reals(), is_left);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t at = first + i * kLanes + lane;
        if (at >= list.size || is_left[lane] != 0) continue;
        const auto pixel = static_cast<std::uint32_t>(list.pixel[at]);
        if (is_open[lane] != 0) {
          still_open.push_back(pixel);
          continue;
        }
        const ExactValue value = value_of(of, {.certainty = Certainty::counted,
                                               .count = static_cast<std::uint64_t>(counts[lane]),
                                               .m = static_cast<std::uint64_t>(ms[lane]),
                                               .radius2 = radii[lane],
                                               .distance = distances[lane],
                                               .gradient = {rights[lane], ups[lane]},
                                               .phase = phases[lane]});
        work.counts[pixel] = static_cast<std::uint32_t>(value.count);
        work.set(pixel, value.more);
      }
    });
  }
};

/// Counts the pixels of exact.open with 106 bits, and leaves those in it that stay open. Returns
/// the executed orbit steps.
template <class Formula, bool kSmooth, bool kDistance>
HWY_NOINLINE std::uint64_t long_passes(const ExactWork& of, const base::PixelRect& rect,
                                       const OrbitLimits& orbit, Workspace& work,
                                       ExactWorkspace& exact) {
  constexpr std::size_t kPixels = kLongVectors * kLanes;
  LongList& list = exact.long_orbits;
  fill_long(of, rect, Formula::kStartsAtPixel, exact.open, list);
  exact.open.clear();
  const Real last = ts_real(static_cast<double>(orbit.iterations - 1));
  std::uint64_t executed = 0;
  while (list.size > 0) {
    if (work.is_unwanted()) break;
    std::size_t kept = 0;
    const std::size_t size = list.size;
    for (std::size_t first = 0; first < size; first += kPixels) {
      LongGroup<Formula, kSmooth, kDistance> group;
      group.load(list, first);
      int steps = 0;
      for (; steps < kLongRound && group.any_left(); ++steps) {
        group.test_and_step(of.exact.limits, orbit, last);
      }
      group.find_returned(list, first, ts_real(of.exact.limits.bailout2), last);
      group.finish(of, list, first, work, exact.open);
      kept = group.keep(list, first, kept);
      executed += static_cast<std::uint64_t>(steps) * std::min(kPixels, size - first);
    }
    list.size = kept;
  }
  list.size = 0;
  return executed;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
