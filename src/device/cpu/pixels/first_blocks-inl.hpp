// The first 16 steps of all pixels of a band, in f64: the errors of these steps are known
// beforehand.
#if defined(TESSERA_DEVICE_CPU_PIXELS_FIRST_BLOCKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_FIRST_BLOCKS_INL
#undef TESSERA_DEVICE_CPU_PIXELS_FIRST_BLOCKS_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_FIRST_BLOCKS_INL
#endif

#include <algorithm>

#include "device/cpu/pixels/bounded_group-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// The first blocks of kBoundedVectors vectors of pixels.
template <class Formula, bool kSmooth>
struct FirstBlocks {
  using Group = BoundedGroup<Formula, kBoundedVectors>;
  Group group;
  Real n[kBoundedVectors], m[kBoundedVectors], m_radius2[kBoundedVectors];
  Mask follows[kBoundedVectors];   // not surely inside
  Mask counting[kBoundedVectors];  // within so far
  Mask beyond[kBoundedVectors];    // surely beyond at n
  Mask m_alive[kBoundedVectors];

  static constexpr double kFirst = Formula::kStartsAtPixel ? 0 : 1;

  HWY_INLINE void start(const OrbitLimits& limits, const ExactLimits& bounds, std::size_t base,
                        std::size_t pixels, Workspace& work) {
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = base + i * kLanes;
      const Real x = hn::Load(Reals(), &work.re[at]);
      const Real y = hn::Load(Reals(), &work.im[at]);
      group.x[i] = x;
      group.y[i] = y;
      group.c_re[i] = Formula::kStartsAtPixel ? ts_real(limits.constant_re) : x;
      group.c_im[i] = Formula::kStartsAtPixel ? ts_real(limits.constant_im) : y;
      group.bound[i] =
          ts_fma(ts_real(bounds.start_relative), ts_radius2(x, y), ts_real(bounds.start_absolute));
      hn::Store(ts_bound_base(2, group.c_re[i]), Reals(), group.base + i * kLanes);
      const std::size_t filled = pixels > at ? std::min(pixels - at, kLanes) : 0;
      follows[i] = hn::FirstN(Reals(), filled);
      if (limits.shortcuts) {
        follows[i] = hn::AndNot(Formula::surely_inside(group.c_re[i], group.c_im[i]), follows[i]);
      }
      n[i] = m[i] = ts_real(kFirst);
      m_radius2[i] = hn::Zero(Reals());
      counting[i] = m_alive[i] = group.alive[i] = follows[i];
      beyond[i] = hn::FirstN(Reals(), 0);
    });
  }

  HWY_INLINE bool any_follows() const {
    Mask any = follows[0];
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA { any = hn::Or(any, follows[i]); });
    return !hn::AllFalse(Reals(), any);
  }

  /// Whether all pixels stay.
  HWY_INLINE bool all_stay(const ExactLimits& bounds) const {
    Mask all = hn::Or(stays(bounds, 0), hn::Not(follows[0]));
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      all = hn::And(all, hn::Or(stays(bounds, i), hn::Not(follows[i])));
    });
    return hn::AllTrue(Reals(), all);
  }

  /// Whether a pixel stays, and its bound is small enough.
  template <class Index>
  HWY_INLINE Mask stays(const ExactLimits& bounds, Index i) const {
    const Real radius2 = ts_radius2(group.x[i], group.y[i]);
    const Mask sure = ts_surely_within(radius2, ts_real(bounds.within2), group.bound[i]);
    return hn::And(sure, hn::Le(group.most[i], ts_real(TS_BOUND_MOST)));
  }

  HWY_INLINE void test(const ExactLimits& bounds, std::size_t step) {
    const Real least2 = ts_real(bounds.least2[step]), most2 = ts_real(bounds.most2[step]);
    const Real one = ts_real(1.0);
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Real radius2 = ts_radius2(group.x[i], group.y[i]);
      const Mask within = hn::Le(radius2, least2);
      beyond[i] =
          hn::Or(beyond[i], hn::And(hn::AndNot(within, counting[i]), hn::Gt(radius2, most2)));
      counting[i] = hn::And(counting[i], within);
      n[i] = hn::IfThenElse(counting[i], hn::Add(n[i], one), n[i]);
      if constexpr (kSmooth) find_smooth(i, radius2);
    });
  }

  template <class Index>
  HWY_INLINE void find_smooth(Index i, Real radius2) {
    m_radius2[i] = hn::IfThenElse(m_alive[i], radius2, m_radius2[i]);
    m_alive[i] = hn::And(m_alive[i], hn::Le(radius2, ts_real(kSmoothRadius2)));
    m[i] = hn::IfThenElse(m_alive[i], hn::Add(m[i], ts_real(1.0)), m[i]);
  }

  /// Whether all pixels are surely beyond.
  HWY_INLINE bool all_beyond() const {
    Mask any = hn::AndNot(beyond[0], follows[0]);
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      any = hn::Or(any, hn::AndNot(beyond[i], follows[i]));
    });
    return hn::AllFalse(Reals(), any);
  }

  /// As BoundedGroup::first_block(), with a test before each step and one at the end. Ends where
  /// all are beyond. Returns the steps.
  HWY_INLINE std::uint64_t tested_block(const ExactLimits& bounds, std::uint64_t count) {
    group.remember(ts_real(1.0));
    Real largest[kBoundedVectors];
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA { largest[i] = hn::Zero(Reals()); });
    std::uint64_t done = 0;
    while (done < count && !all_beyond()) {
      const QuickBound& quick = bounds.quick[kernels::ts_quick_of(done)];
      group.join(quick);
      const std::uint64_t steps = std::min<std::uint64_t>(kExactQuick, count - done);
      if (steps == kExactQuick) {
        Real above[kBoundedVectors];
        group.set_above(above);
        keep_largest(quick, largest);
        for (std::uint32_t step = 0; step < kExactQuick; ++step) {
          test(bounds, done + step);
          group.step(above, ts_real(quick.added[step]));
        }
        group.scale(quick.of_all);
      } else {
        keep_largest(quick, largest);
        for (std::uint64_t step = 0; step < steps; ++step) {
          test(bounds, done + step);
          group.single_step(quick);
        }
      }
      keep_largest(quick, largest);
      group.scale(quick.unscaled);
      done += steps;
    }
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA { group.most[i] = largest[i]; });
    test(bounds, done);
    return done;
  }

  HWY_INLINE void keep_largest(const QuickBound& quick, Real (&largest)[kBoundedVectors]) const {
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      largest[i] = hn::Max(largest[i], hn::Mul(group.bound[i], ts_real(quick.unscaled)));
    });
  }

  /// Runs until every pixel that is beyond has its m. Returns the steps.
  HWY_INLINE std::uint64_t finish_smooth() {
    each<kBoundedVectors>(
        [&](auto i) TESSERA_INLINE_LAMBDA { m_alive[i] = hn::And(m_alive[i], beyond[i]); });
    std::uint64_t steps = 0;
    for (;; ++steps) {
      Mask any = m_alive[0];
      each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA { any = hn::Or(any, m_alive[i]); });
      if (hn::AllFalse(Reals(), any)) return steps;
      each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
        Formula::step(&group.x[i], &group.y[i], group.c_re[i], group.c_im[i]);
        find_smooth(i, ts_radius2(group.x[i], group.y[i]));
      });
    }
  }

  /// Lists the pixels that stay, that leave R later than the block and that are open.
  HWY_INLINE void sort_pixels(const ExactLimits& bounds, std::size_t base, ExactWorkspace& exact) {
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Mask left = hn::AndNot(beyond[i], follows[i]);
      if (hn::AllFalse(Reals(), left)) return;
      const BitsOfReal pixel = hn::Iota(Bits(), base + i * kLanes);
      const Mask stay = hn::And(left, stays(bounds, i));
      const Mask others = hn::AndNot(stay, left);
      add_active(stay, i, pixel, exact.active);
      add_leaving(hn::And(others, counting[i]), i, pixel, exact.leaving);
      add_open(hn::AndNot(counting[i], others), pixel, exact);
    });
  }

  template <class Index>
  HWY_INLINE void add_active(Mask mask, Index i, BitsOfReal pixel, BoundedList& list) const {
    append(ts_real(-1.0), mask, &list.saved_bound[list.size]);
    append({group.x[i], group.y[i], group.c_re[i], group.c_im[i], group.bound[i]}, pixel, mask,
           list);
  }

  template <class Index>
  HWY_INLINE void add_leaving(Mask mask, Index i, BitsOfReal pixel, BoundedList& list) const {
    if (HWY_LIKELY(hn::AllFalse(Reals(), mask))) return;
    constexpr auto kStart = static_cast<std::uint64_t>(kFirst) << 32;
    append(group.before(i), hn::Or(pixel, ts_bits(kStart)), mask, list);
  }

  HWY_INLINE void store(const OrbitLimits& limits, std::uint32_t* counts, float* smooth,
                        float* fraction) const {
    const Real most = ts_real(limits.iterations);
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      store_counts(hn::IfThenElse(beyond[i], n[i], most), counts + i * kLanes);
      if constexpr (kSmooth) {
        Real value = most;
        if (!hn::AllFalse(Reals(), beyond[i])) {
          const Real radius2 = hn::Max(m_radius2[i], ts_real(kSmoothRadius2));
          value = hn::IfThenElse(beyond[i], Formula::smooth(m[i], radius2), most);
        }
        store_smooth(value, smooth + i * kLanes);
        if (limits.fraction) {
          const Real radius2 = hn::Max(m_radius2[i], ts_real(kSmoothRadius2));
          value = hn::IfThenElseZero(beyond[i], Formula::smooth(hn::Sub(m[i], n[i]), radius2));
          store_smooth(value, fraction + i * kLanes);
        }
      }
    });
  }
};

/// The first block of all pixels of a band. Returns the executed orbit steps.
template <class Formula, bool kSmooth>
HWY_NOINLINE std::uint64_t first_blocks(const OrbitLimits& limits, std::size_t pixels,
                                        Workspace& work, ExactWorkspace& exact) {
  using Blocks = FirstBlocks<Formula, kSmooth>;
  constexpr std::size_t kPixels = kBoundedVectors * kLanes;
  const ExactLimits& bounds = exact.image.limits;
  const auto count = std::min<std::uint64_t>(
      kExactBlock, limits.iterations - 1 - static_cast<std::uint64_t>(Blocks::kFirst));
  std::uint64_t executed = 0;
  bool all_stay = false;
  for (std::size_t base = 0; base < pixels; base += kPixels) {
    Blocks blocks;
    blocks.start(limits, bounds, base, pixels, work);
    std::uint64_t steps = 0;
    if (blocks.any_follows()) {
      // If all pixels before have stayed, these probably stay too. Then they need no tests.
      if (all_stay) {
        blocks.group.first_block(bounds, count);
        steps = count;
        all_stay = blocks.all_stay(bounds);
        if (!all_stay) blocks.start(limits, bounds, base, pixels, work);
      }
      if (!all_stay) {
        steps += blocks.tested_block(bounds, count);
        all_stay = steps == count && blocks.all_stay(bounds);
      }
      blocks.sort_pixels(bounds, base, exact);
      // From here on, only pixels that are beyond have the right z.
      if constexpr (kSmooth) steps += blocks.finish_smooth();
    }
    blocks.store(limits, &work.counts[base], &work.more.smooth[base], &work.more.fraction[base]);
    executed += steps * std::min(kPixels, pixels - base);
  }
  return executed;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
