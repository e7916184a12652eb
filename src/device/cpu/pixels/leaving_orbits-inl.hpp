// Counts the orbits that leave R within a block of 16 steps, step by step from the start of the
// block on.
#if defined(TESSERA_DEVICE_CPU_PIXELS_LEAVING_ORBITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_LEAVING_ORBITS_INL
#undef TESSERA_DEVICE_CPU_PIXELS_LEAVING_ORBITS_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_LEAVING_ORBITS_INL
#endif

#include <algorithm>

#include "device/cpu/pixels/bounded_group-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

inline constexpr std::size_t kLeavingVectors = HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM_A64 ? 2 : 1;

/// kLeavingVectors vectors of orbits that leave R within a block, from its start on.
template <class Formula, bool kSmooth>
struct LeavingScan {
  static constexpr int kDegree = Formula::kDegree;
  Real x[kLeavingVectors], y[kLeavingVectors], c_re[kLeavingVectors], c_im[kLeavingVectors];
  Real n[kLeavingVectors], m[kLeavingVectors], m_radius2[kLeavingVectors];
  // Those of the last z that was tested, and of the z before it; 0 if there is none.
  Real bound[kLeavingVectors], radius2[kLeavingVectors];
  Real before_bound[kLeavingVectors], before_radius2[kLeavingVectors];
  Mask alive[kLeavingVectors], m_alive[kLeavingVectors], in_list[kLeavingVectors];

  HWY_INLINE void load(BoundedList& list, std::size_t first) {
    each<kLeavingVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = first + i * kLanes;
      x[i] = hn::Load(Reals(), &list.x[at]);
      y[i] = hn::Load(Reals(), &list.y[at]);
      c_re[i] = hn::Load(Reals(), &list.c_re[at]);
      c_im[i] = hn::Load(Reals(), &list.c_im[at]);
      bound[i] = hn::Load(Reals(), &list.bound[at]);
      const BitsOfReal start = hn::ShiftRight<32>(hn::Load(Bits(), &list.origin[at]));
      n[i] = real_of(start);
      radius2[i] = before_bound[i] = before_radius2[i] = hn::Zero(Reals());
      m[i] = n[i];
      m_radius2[i] = hn::Zero(Reals());
      const std::size_t filled = list.size > at ? std::min(list.size - at, kLanes) : 0;
      alive[i] = m_alive[i] = in_list[i] = hn::FirstN(Reals(), filled);
    });
  }

  /// Tests z and makes a step. `last`: the last n that is tested.
  HWY_INLINE void test_and_step(const ExactLimits& limits, Real last) {
    const Real bailout2 = ts_real(limits.bailout2);
    const Real one = ts_real(1.0);
    each<kLeavingVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Real size2 = ts_radius2(x[i], y[i]);
      radius2[i] = hn::IfThenElse(alive[i], size2, radius2[i]);
      const Mask within = hn::Le(size2, bailout2);
      const Mask lost = hn::And(alive[i], hn::And(within, ts_is_lost(size2, bound[i])));
      const Mask ends = hn::Or(lost, hn::And(alive[i], hn::And(within, hn::Ge(n[i], last))));
      alive[i] = hn::AndNot(ends, hn::And(alive[i], within));
      bound[i] = hn::IfThenElse(lost, hn::Inf(Reals()), bound[i]);
      before_radius2[i] = hn::IfThenElse(alive[i], size2, before_radius2[i]);
      before_bound[i] = hn::IfThenElse(alive[i], bound[i], before_bound[i]);
      bound[i] = hn::IfThenElse(alive[i], ts_next_bound(kDegree, limits.growth, size2, bound[i]),
                                bound[i]);
      n[i] = hn::IfThenElse(alive[i], hn::Add(n[i], one), n[i]);
      if constexpr (kSmooth) {
        m_radius2[i] = hn::IfThenElse(m_alive[i], size2, m_radius2[i]);
        m_alive[i] = hn::And(hn::AndNot(ends, m_alive[i]), hn::Le(size2, ts_real(kSmoothRadius2)));
        m[i] = hn::IfThenElse(m_alive[i], hn::Add(m[i], one), m[i]);
      }
      Formula::step(&x[i], &y[i], c_re[i], c_im[i]);
    });
  }

  HWY_INLINE bool any_alive() const {
    Mask any = alive[0];
    each<kLeavingVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      any = hn::Or(any, alive[i]);
      if constexpr (kSmooth) any = hn::Or(any, m_alive[i]);
    });
    return !hn::AllFalse(Reals(), any);
  }

  /// Stores the counts, as if all were certain, and the smooth counts. Sets those that are open.
  HWY_INLINE void store(const ExactLimits& limits, const OrbitLimits& orbit, std::uint32_t* counts,
                        float* smooth, float* fraction, Mask (&open)[kLeavingVectors]) const {
    const Real bailout2 = ts_real(limits.bailout2);
    const Real most = ts_real(orbit.iterations);
    each<kLeavingVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Mask within = hn::Le(radius2[i], bailout2);
      const Mask sure_within = ts_surely_within(radius2[i], bailout2, bound[i]);
      const Mask sure_beyond =
          hn::And(ts_surely_beyond(radius2[i], bailout2, bound[i]),
                  ts_surely_within(before_radius2[i], bailout2, before_bound[i]));
      const Mask sure = hn::Or(hn::And(within, sure_within), hn::AndNot(within, sure_beyond));
      open[i] = hn::AndNot(sure, in_list[i]);
      store_counts(hn::IfThenElse(within, most, n[i]), counts + i * kLanes);
      if constexpr (kSmooth) {
        const Real at2 = hn::Max(m_radius2[i], ts_real(kSmoothRadius2));
        const Real value = Formula::smooth(m[i], at2);
        store_smooth(hn::IfThenElse(within, most, value), smooth + i * kLanes);
        if (orbit.fraction) {
          const Real beyond = Formula::smooth(hn::Sub(m[i], n[i]), at2);
          store_smooth(hn::IfThenZeroElse(within, beyond), fraction + i * kLanes);
        }
      }
    });
  }
};

/// Counts the orbits of exact.leaving. Returns the executed orbit steps.
template <class Formula, bool kSmooth>
HWY_NOINLINE std::uint64_t leaving_orbits(const ExactLimits& limits, const OrbitLimits& orbit,
                                          Workspace& work, ExactWorkspace& exact) {
  constexpr std::size_t kPixels = kLeavingVectors * kLanes;
  BoundedList& list = exact.leaving;
  std::uint64_t executed = 0;
  const Real last = ts_real(static_cast<double>(orbit.iterations - 1));
  for (std::size_t base = 0; base < list.size; base += kPixels) {
    LeavingScan<Formula, kSmooth> scan;
    scan.load(list, base);
    const std::size_t filled = std::min(kPixels, list.size - base);
    for (; scan.any_alive(); executed += filled) scan.test_and_step(limits, last);
    HWY_ALIGN std::uint32_t counts[kPixels];
    HWY_ALIGN float smooth[kPixels];
    HWY_ALIGN float fraction[kPixels];
    Mask open[kLeavingVectors];
    scan.store(limits, orbit, counts, smooth, fraction, open);
    for (std::size_t k = 0; k < filled; ++k) {
      const auto pixel = static_cast<std::uint32_t>(list.origin[base + k]);
      work.counts[pixel] = counts[k];
      if constexpr (kSmooth) work.more.smooth[pixel] = smooth[k];
      if (kSmooth && orbit.fraction) work.more.fraction[pixel] = fraction[k];
    }
    each<kLeavingVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const BitsOfReal pixel =
          hn::And(hn::Load(Bits(), &list.origin[base + i * kLanes]), ts_bits(0xFFFFFFFF));
      const BitsOfReal n = ts_to_bits(ts_add(scan.n[i], ts_real(0x1p52)));
      add_open(open[i], hn::Or(pixel, hn::ShiftLeft<32>(n)), exact);
    });
  }
  list.size = 0;
  return executed;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
