// The passes over the pixels that remain after the first pass: several vectors at a time, with a
// test of |z| every 16 steps. Each pass compacts the list of active pixels.
#if defined(TESSERA_DEVICE_CPU_PIXELS_LATER_PASSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_LATER_PASSES_INL
#undef TESSERA_DEVICE_CPU_PIXELS_LATER_PASSES_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_LATER_PASSES_INL
#endif

#include <algorithm>

#include "device/cpu/pixels/first_pass-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Steps between two tests of |z|.
// crossed by: EveryLimitAndBailout
inline constexpr std::uint64_t kBlockSteps = 16;
/// A step has the latency of two FMAs and occupies three FMA slots per vector: about 5 vectors keep
/// two FMA units busy. With a sixth one GCC 12 spills registers around the tests; with 16 registers
/// 4 is the maximum.
inline constexpr std::size_t kPassVectors = HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM_A64 ? 5 : 4;

/// Where a lane may be interrupted, a group takes at most so many steps, which is some ms...
// not crossed: an interrupted lane has no result
inline constexpr std::uint64_t kMaxInterruptibleSteps = std::uint64_t{1} << 20;
/// ... and passes of more steps than this ask before each group: some 10 us.
inline constexpr std::uint64_t kStepsPerQuestion = 4096;

/// The steps of the pass after one of `steps` that has left `left` of `before` pixels in the list,
/// at n. Compaction is worth its cost only if many pixels have left the list.
inline std::uint64_t next_steps(std::uint64_t steps, std::uint64_t n, std::size_t before,
                                std::size_t left) {
  if (left > before - before / 16) {
    return std::min(2 * steps, std::max(n / 2 / kBlockSteps * kBlockSteps, kBlockSteps));
  }
  if (left >= before - before / 6) return steps;
  return std::max(steps / 2 / kBlockSteps * kBlockSteps, kBlockSteps);
}

struct Pass {
  std::uint64_t n;      ///< count of every z in the list when the pass starts
  std::uint64_t steps;  ///< steps of the pass
  double detect2;       ///< |z|^2 beyond which a pixel leaves the list
};

/// How pixels are found to be inside.
enum class Inside { never, returned, contracted };

/// kVectors vectors of the active list, from `base`.
template <class Formula, Inside kInside, std::size_t kVectors>
struct Group {
  static constexpr bool kPeriodic = kInside != Inside::never;
  static constexpr bool kSlopes = kInside == Inside::contracted;
  Real x[kVectors], y[kVectors], c_re[kVectors], c_im[kVectors];
  Mask alive[kVectors];
  HWY_ALIGN double before_x[kVectors * kLanes];  // z before the current block of steps
  HWY_ALIGN double before_y[kVectors * kLanes];
  TsMoving z[kSlopes ? kVectors : 1];  // instead of x and y

  HWY_INLINE void load(ActiveList& list, std::size_t base) {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = base + i * kLanes;
      x[i] = hn::Load(Reals(), &list.x[at]);
      y[i] = hn::Load(Reals(), &list.y[at]);
      c_re[i] = hn::Load(Reals(), &list.c_re[at]);
      c_im[i] = hn::Load(Reals(), &list.c_im[at]);
      const std::size_t filled = list.size > at ? std::min(list.size - at, kLanes) : 0;
      alive[i] = hn::FirstN(Reals(), filled);
      if constexpr (kSlopes) {
        z[i] = {x[i],
                y[i],
                hn::Load(Reals(), &list.right_u[at]),
                hn::Load(Reals(), &list.right_v[at]),
                hn::Load(Reals(), &list.up_u[at]),
                hn::Load(Reals(), &list.up_v[at])};
      }
    });
  }

  HWY_INLINE void advance(std::uint64_t steps) {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      hn::Store(x[i], Reals(), before_x + i * kLanes);
      hn::Store(y[i], Reals(), before_y + i * kLanes);
    });
    if (!kSlopes && HWY_LIKELY(steps == kBlockSteps)) {
      // Unrolled: the end of a loop of 16 iterations costs a mispredicted branch.
      each<kBlockSteps>([&](auto) TESSERA_INLINE_LAMBDA { step(); });
    } else {
      for (std::uint64_t k = 0; k < steps; ++k) step();
    }
    if constexpr (kSlopes) {
      each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
        x[i] = z[i].x;
        y[i] = z[i].y;
      });
    }
  }

  HWY_INLINE void step() {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      if constexpr (kSlopes) {
        Formula::move(&z[i], c_re[i], c_im[i], 0.0);
      } else {
        Formula::step(&x[i], &y[i], c_re[i], c_im[i]);
      }
    });
  }

  /// Drops lanes that the derivative's test takes for inside.
  HWY_INLINE void drop_contracted() {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      alive[i] = hn::AndNot(Formula::contracts(z[i]), alive[i]);
    });
  }

  /// Moves lanes beyond `detect2`, and lanes that are NaN after an overflow, to the escaped list.
  HWY_INLINE void collect(Workspace& work, std::size_t base, std::uint64_t n_before,
                          double detect2) {
    Mask gone[kVectors];
    Mask any = hn::FirstN(Reals(), 0);
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Mask within = hn::Le(ts_radius2(x[i], y[i]), ts_real(detect2));
      gone[i] = hn::AndNot(within, alive[i]);
      alive[i] = hn::And(alive[i], within);
      any = hn::Or(any, gone[i]);
    });
    if (hn::AllFalse(Reals(), any)) return;
    EscapedList& list = work.escaped;
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = base + i * kLanes;
      const BitsOfReal pixel = hn::Load(Bits(), &work.active.pixel[at]);
      append(hn::Load(Reals(), before_x + i * kLanes), gone[i], &list.x[list.size]);
      append(hn::Load(Reals(), before_y + i * kLanes), gone[i], &list.y[list.size]);
      append(c_re[i], gone[i], &list.c_re[list.size]);
      append(c_im[i], gone[i], &list.c_im[list.size]);
      append(hn::Or(pixel, ts_bits(n_before << 32)), gone[i], &list.origin[list.size]);
      list.size += hn::CountTrue(Reals(), gone[i]);
    });
  }

  /// Drops lanes whose z equals the saved z: their orbits are periodic, and their count N is stored
  /// already.
  HWY_INLINE void drop_returned(ActiveList& list, std::size_t base) {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = base + i * kLanes;
      const Mask same = hn::And(hn::Eq(x[i], hn::Load(Reals(), &list.saved_x[at])),
                                hn::Eq(y[i], hn::Load(Reals(), &list.saved_y[at])));
      alive[i] = hn::AndNot(same, alive[i]);
    });
  }

  HWY_INLINE bool any_alive() const {
    Mask any = alive[0];
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA { any = hn::Or(any, alive[i]); });
    return !hn::AllFalse(Reals(), any);
  }

  /// Moves the alive lanes to list[kept...]. Since kept <= base, no unread element is overwritten.
  /// Returns the new value of `kept`.
  HWY_INLINE std::size_t keep(ActiveList& list, std::size_t base, std::size_t kept) const {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = base + i * kLanes;
      append(x[i], alive[i], &list.x[kept]);
      append(y[i], alive[i], &list.y[kept]);
      append(c_re[i], alive[i], &list.c_re[kept]);
      append(c_im[i], alive[i], &list.c_im[kept]);
      if constexpr (kPeriodic) {
        append(hn::Load(Reals(), &list.saved_x[at]), alive[i], &list.saved_x[kept]);
        append(hn::Load(Reals(), &list.saved_y[at]), alive[i], &list.saved_y[kept]);
      }
      if constexpr (kSlopes) {
        append(z[i].right_u, alive[i], &list.right_u[kept]);
        append(z[i].right_v, alive[i], &list.right_v[kept]);
        append(z[i].up_u, alive[i], &list.up_u[kept]);
        append(z[i].up_v, alive[i], &list.up_v[kept]);
      }
      append(hn::Load(Bits(), &list.pixel[at]), alive[i], &list.pixel[kept]);
      kept += hn::CountTrue(Reals(), alive[i]);
    });
    return kept;
  }
};

/// Advances one group. Returns the steps of each of its pixels.
template <class Formula, Inside kInside, std::size_t kVectors>
HWY_NOINLINE std::uint64_t advance_group(const Pass& pass, std::size_t base, std::size_t& kept,
                                         Workspace& work) {
  Group<Formula, kInside, kVectors> group;
  group.load(work.active, base);
  std::uint64_t done = 0;
  do {
    const std::uint64_t steps = std::min(kBlockSteps, pass.steps - done);
    group.advance(steps);
    group.collect(work, base, pass.n + done, pass.detect2);
    if constexpr (group.kPeriodic) group.drop_returned(work.active, base);
    if constexpr (group.kSlopes) {
      if (steps == kBlockSteps) group.drop_contracted();
    }
    done += steps;
  } while (done < pass.steps && group.any_alive());
  kept = group.keep(work.active, base, kept);
  return done;
}

/// Runs one pass over the list and compacts it. Returns the sum of the steps of all pixels.
template <class Formula, Inside kInside>
HWY_INLINE std::uint64_t run_pass(const Pass& pass, Workspace& work) {
  const std::size_t size = work.active.size;
  std::uint64_t executed = 0;
  std::size_t kept = 0;
  for (std::size_t base = 0; base < size;) {
    if (pass.steps > kStepsPerQuestion && work.is_unwanted()) break;
    const std::size_t left = size - base;
    std::size_t vectors = kPassVectors;
    std::uint64_t steps = 0;
    // The end of the list uses a smaller group, since empty vectors cost as much as full ones.
    if (left > kPassVectors / 2 * kLanes) {
      steps = advance_group<Formula, kInside, kPassVectors>(pass, base, kept, work);
    } else if (left > kLanes) {
      vectors = kPassVectors / 2;
      steps = advance_group<Formula, kInside, kPassVectors / 2>(pass, base, kept, work);
    } else {
      vectors = 1;
      steps = advance_group<Formula, kInside, 1>(pass, base, kept, work);
    }
    executed += steps * std::min(left, vectors * kLanes);
    base += vectors * kLanes;
  }
  work.active.size = kept;
  return executed;
}

/// Sets the slopes of the active list, by the steps of the first pass once more.
template <class Formula>
HWY_NOINLINE void set_slopes(Workspace& work) {
  ActiveList& list = work.active;
  constexpr std::uint32_t kFirst = Formula::kStartsAtPixel ? 0 : 1;
  for (std::size_t base = 0; base < list.size; base += kLanes) {
    HWY_ALIGN double re[kLanes];
    HWY_ALIGN double im[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto pixel = list.pixel[std::min(base + lane, list.size - 1)];
      re[lane] = work.re[pixel];
      im[lane] = work.im[pixel];
    }
    TsMoving z = ts_moving(hn::Load(Reals(), re), hn::Load(Reals(), im), 1.0);
    const Real c_re = hn::Load(Reals(), &list.c_re[base]);
    const Real c_im = hn::Load(Reals(), &list.c_im[base]);
    for (std::uint32_t n = kFirst; n < kFirstPassEnd; ++n) Formula::move(&z, c_re, c_im, 0.0);
    hn::Store(z.right_u, Reals(), &list.right_u[base]);
    hn::Store(z.right_v, Reals(), &list.right_v[base]);
    hn::Store(z.up_u, Reals(), &list.up_u[base]);
    hn::Store(z.up_v, Reals(), &list.up_v[base]);
  }
}

/// Runs all passes from n = kFirstPassEnd on. Returns the executed orbit steps.
template <class Formula, Inside kInside>
HWY_NOINLINE std::uint64_t later_passes(const OrbitLimits& limits, Workspace& work) {
  constexpr bool kPeriodic = kInside != Inside::never;
  static_assert(kBlockSteps == TS_INTERIOR_STEPS &&
                kFirstPassEnd + kBlockSteps == TS_FIRST_INTERIOR);
  if constexpr (kInside == Inside::contracted) set_slopes<Formula>(work);
  ActiveList& list = work.active;
  const std::uint64_t last = limits.iterations - 1;  // the last n that is tested
  // The smaller radius: finish_escaped() computes both counts from a z that has passed neither.
  const double detect2 = limits.smooth || kInside == Inside::contracted
                             ? std::min(limits.bailout2, kSmoothRadius2)
                             : limits.bailout2;
  std::uint64_t executed = 0;
  std::uint64_t next_save = 0;
  std::uint64_t requested = kBlockSteps;
  for (std::uint64_t n = kFirstPassEnd; n < last && list.size > 0;) {
    if (kPeriodic && n >= next_save) {  // Brent (1980): one saved z, replaced periodically
      std::copy_n(list.x.data(), list.size, list.saved_x.data());
      std::copy_n(list.y.data(), list.size, list.saved_y.data());
      next_save = n + n / 2;
    }
    const std::size_t before = list.size;
    std::uint64_t steps = std::min(requested, last - n);
    if (work.unwanted) steps = std::min(steps, kMaxInterruptibleSteps);
    executed += run_pass<Formula, kInside>({n, steps, detect2}, work);
    n += steps;
    requested = next_steps(requested, n, before, list.size);
  }
  list.size = 0;
  return executed;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
