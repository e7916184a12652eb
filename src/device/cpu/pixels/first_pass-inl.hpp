// The first pass over all pixels of a band. Pixels that are provably inside are finished at once.
// The first steps of the others are tested one by one (most pixels of an ordinary image escape
// here), and the remaining pixels go to the active list.
#if defined(TESSERA_DEVICE_CPU_PIXELS_FIRST_PASS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_FIRST_PASS_INL
#undef TESSERA_DEVICE_CPU_PIXELS_FIRST_PASS_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_FIRST_PASS_INL
#endif

#include <algorithm>

#include "device/cpu/pixels/escape_scan-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// The last n that the first pass tests, if N allows.
// crossed by: EveryLimitAndBailout
inline constexpr std::uint32_t kFirstPassEnd = 16;

template <class Formula>
HWY_INLINE void add_active(Workspace& work, Real x, Real y, Real c_re, Real c_im, std::size_t pixel,
                           Mask mask) {
  ActiveList& list = work.active;
  if constexpr (Formula::kHasEdge) {
    const Mask edge = hn::And(ts_near_edge(c_re, c_im), mask);
    if (HWY_UNLIKELY(!hn::AllFalse(Reals(), edge))) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const Mask one =
            hn::And(edge, hn::AndNot(hn::FirstN(Reals(), lane), hn::FirstN(Reals(), lane + 1)));
        if (!hn::AllFalse(Reals(), one)) work.edge_pixels.push_back(pixel + lane);
      }
      mask = hn::AndNot(edge, mask);
    }
  }
  append(x, mask, &list.x[list.size]);
  append(y, mask, &list.y[list.size]);
  append(c_re, mask, &list.c_re[list.size]);
  append(c_im, mask, &list.c_im[list.size]);
  append(hn::Iota(Bits(), pixel), mask, &list.pixel[list.size]);
  list.size += hn::CountTrue(Reals(), mask);
}

template <class Formula, bool kSmooth>
HWY_INLINE void store_scan(const EscapeScan<Formula, kSmooth>& scan,
                           const Mask (&never)[kScanVectors], const OrbitLimits& limits,
                           std::uint32_t* counts, float* smooth, float* fraction) {
  const Real most = ts_real(limits.iterations);
  each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
    // With a bailout radius above 256 the first n outside may be greater than N.
    const Mask out = hn::Or(never[i], hn::Ge(scan.n[i], most));
    store_counts(hn::IfThenElse(out, most, scan.n[i]), counts + i * kLanes);
    if constexpr (kSmooth) {
      Real value = most;
      if (!hn::AllTrue(Reals(), out)) {
        value = hn::IfThenElse(out, most, Formula::smooth(scan.m[i], scan.m_radius2[i]));
      }
      store_smooth(value, smooth + i * kLanes);
      if (limits.fraction) {
        const Real steps = hn::Sub(scan.m[i], scan.n[i]);
        value = hn::IfThenZeroElse(out, Formula::smooth(steps, scan.m_radius2[i]));
        store_smooth(value, fraction + i * kLanes);
      }
    }
  });
}

/// Scans kScanPixels pixels from `base`. Returns the steps of each of them. `all_stay`: whether all
/// previous pixels remained after the first pass. These pixels then probably remain too, and are
/// tested only at its end.
template <class Formula, bool kSmooth>
HWY_INLINE std::uint64_t first_scan(const OrbitLimits& limits, std::size_t base, Workspace& work,
                                    bool& all_stay) {
  const Real bailout2 = ts_real(limits.bailout2);
  const std::uint32_t end = std::min(limits.iterations - 1, kFirstPassEnd);
  constexpr std::uint64_t kFirst = Formula::kStartsAtPixel ? 0 : 1;  // the first n that is tested
  EscapeScan<Formula, kSmooth> scan;
  const auto go_to_start = [&] TESSERA_INLINE_LAMBDA {
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      scan.x[i] = hn::Load(Reals(), &work.re[base + i * kLanes]);
      scan.y[i] = hn::Load(Reals(), &work.im[base + i * kLanes]);
    });
  };
  go_to_start();
  Mask never[kScanVectors];
  each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
    if constexpr (Formula::kStartsAtPixel) {
      scan.c_re[i] = ts_real(limits.constant_re);
      scan.c_im[i] = ts_real(limits.constant_im);
    } else {
      scan.c_re[i] = scan.x[i];  // z_1 = c
      scan.c_im[i] = scan.y[i];
    }
    never[i] = hn::FirstN(Reals(), 0);
    if (limits.shortcuts) never[i] = Formula::surely_inside(scan.c_re[i], scan.c_im[i]);
    scan.start(i, ts_real(kFirst), hn::Not(never[i]));
  });
  std::uint64_t steps = 0;
  if (scan.any_alive()) {
    // Only if later passes follow: for pixels near |c| = 2 a single test at the end is not
    // sufficient, and add_active() singles them out.
    if (all_stay && end < limits.iterations - 1) {
      steps = end;
      all_stay = scan.try_untested(end - kFirst, hn::Min(bailout2, ts_real(kSmoothRadius2)));
      if (!all_stay) go_to_start();
    }
    if (steps == 0 || !all_stay) {
      each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA { scan.test(i, bailout2); });
      std::uint64_t n = kFirst;
      for (; n < end && scan.any_alive(); ++n) scan.step_and_test(bailout2);
      steps += n;
      all_stay = n == end && scan.all_stay();
    }
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      Mask stays = scan.alive[i];
      if constexpr (kSmooth) stays = hn::And(stays, scan.m_alive[i]);
      if (hn::AllFalse(Reals(), stays)) return;
      never[i] = hn::Or(never[i], stays);  // the later passes overwrite this if the pixel escapes
      if (end < limits.iterations - 1) {
        add_active<Formula>(work, scan.x[i], scan.y[i], scan.c_re[i], scan.c_im[i],
                            base + i * kLanes, stays);
      }
      if constexpr (kSmooth) {
        scan.alive[i] = hn::AndNot(stays, scan.alive[i]);
        scan.m_alive[i] = hn::AndNot(stays, scan.m_alive[i]);
      }
    });
    if constexpr (kSmooth) steps += scan.finish(bailout2);
  }
  store_scan(scan, never, limits, &work.counts[base], &work.more.smooth[base],
             &work.more.fraction[base]);
  return steps;
}

/// Returns the executed orbit steps.
template <class Formula, bool kSmooth>
HWY_NOINLINE std::uint64_t first_pass(const OrbitLimits& limits, std::size_t pixels,
                                      Workspace& work) {
  std::uint64_t executed = 0;
  bool all_stay = false;
  for (std::size_t base = 0; base < pixels; base += kScanPixels) {
    const std::uint64_t steps = first_scan<Formula, kSmooth>(limits, base, work, all_stay);
    executed += steps * std::min(kScanPixels, pixels - base);
  }
  return executed;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
