// Orbits in f64 with a bound of their errors: their first blocks of 16 steps, the passes over those
// that stay, and the blocks in which they leave. The bits are those of
// device/pixels/exact_orbit.hpp.
#if defined(TESSERA_DEVICE_CPU_PIXELS_BOUNDED_PASSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_BOUNDED_PASSES_INL
#undef TESSERA_DEVICE_CPU_PIXELS_BOUNDED_PASSES_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_BOUNDED_PASSES_INL
#endif

#include <algorithm>
#include <bit>

#include "device/cpu/pixels/exact_workspace.hpp"
#include "device/cpu/pixels/later_passes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Of the passes: more would spill their registers.
inline constexpr std::size_t kBoundedVectors = HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM_A64 ? 3 : 2;
inline constexpr std::size_t kLeavingVectors = HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM_A64 ? 2 : 1;

struct BoundedPass {
  /// Count of every z in the list when the pass starts, from the n of its origin on.
  std::uint64_t n;
  std::uint64_t steps;  ///< of the pass
  bool joins;           ///< the bounds had another scale before
  double last;          ///< the last n that is tested
};

/// Integers below 2^52.
HWY_INLINE Real real_of(BitsOfReal n) {
  return ts_sub(ts_from_bits(ts_bits_or(n, ts_bits(0x4330000000000000))), ts_real(0x1p52));
}

/// Lists pixels that f64 leaves open.
HWY_INLINE void add_open(Mask mask, BitsOfReal origins, ExactWorkspace& exact) {
  if (HWY_LIKELY(hn::AllFalse(Reals(), mask))) return;
  HWY_ALIGN std::uint64_t some[2 * kLanes];
  append(origins, mask, some);
  const std::size_t count = hn::CountTrue(Reals(), mask);
  for (std::size_t i = 0; i < count; ++i) {
    exact.open.push_back(some[i]);
  }
}

/// kVectors vectors of the active list, from `first`. kAgain: orbits that begin with a z of more
/// bits, at the n of their origins. A block that would pass their last n is left to the list of
/// those that leave.
template <class Formula, std::size_t kVectors, bool kAgain = false>
struct BoundedGroup {
  static constexpr int kDegree = Formula::kDegree;
  Real x[kVectors], y[kVectors], c_re[kVectors], c_im[kVectors];
  Real bound[kVectors];  // scaled while steps are made
  Real most[kVectors];
  Mask alive[kVectors];
  HWY_ALIGN double before_x[kVectors * kLanes];
  HWY_ALIGN double before_y[kVectors * kLanes];
  HWY_ALIGN double before_bound[kVectors * kLanes];  // not scaled
  HWY_ALIGN double base[kVectors * kLanes];

  HWY_INLINE void load(BoundedList& list, std::size_t first) {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = first + i * kLanes;
      x[i] = hn::Load(Reals(), &list.x[at]);
      y[i] = hn::Load(Reals(), &list.y[at]);
      c_re[i] = hn::Load(Reals(), &list.c_re[at]);
      c_im[i] = hn::Load(Reals(), &list.c_im[at]);
      bound[i] = hn::Load(Reals(), &list.bound[at]);
      hn::Store(ts_bound_base(kDegree, c_re[i]), Reals(), base + i * kLanes);
      const std::size_t filled = list.size > at ? std::min(list.size - at, kLanes) : 0;
      alive[i] = hn::FirstN(Reals(), filled);
    });
  }

  HWY_INLINE void remember(Real unscaled) {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      hn::Store(x[i], Reals(), before_x + i * kLanes);
      hn::Store(y[i], Reals(), before_y + i * kLanes);
      hn::Store(hn::Mul(bound[i], unscaled), Reals(), before_bound + i * kLanes);
      most[i] = hn::Zero(Reals());
    });
  }

  HWY_INLINE void join(const QuickBound& quick) {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      bound[i] = ts_fma(bound[i], ts_real(quick.scale), ts_real(quick.joins));
    });
  }
  HWY_INLINE void scale(double by) {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA { bound[i] = ts_mul(bound[i], ts_real(by)); });
  }

  HWY_INLINE void keep_most() {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA { most[i] = hn::Max(most[i], bound[i]); });
  }

  HWY_INLINE void set_above(Real (&above)[kVectors]) const {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      above[i] = ts_add(hn::Load(Reals(), base + i * kLanes), bound[i]);
    });
  }

  HWY_INLINE void step(const Real (&above)[kVectors], Real added) {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      Formula::bounded_step(&x[i], &y[i], c_re[i], c_im[i], above[i], added, &bound[i]);
    });
  }

  /// kExactQuick steps of degree 2.
  HWY_INLINE void quick_steps(const QuickBound& quick) {
    keep_most();
    Real above[kVectors];
    set_above(above);
    each<kExactQuick>([&](auto i) TESSERA_INLINE_LAMBDA { step(above, ts_real(quick.added[i])); });
    scale(quick.of_all);
  }

  HWY_INLINE void single_step(const QuickBound& quick) {
    Real above[kVectors];
    set_above(above);
    step(above, ts_real(quick.single_added));
    scale(quick.of_single);
  }

  HWY_INLINE void steps(const QuickBound& quick, std::uint64_t count) {
    if constexpr (kDegree == 2) {
      for (; count >= kExactQuick; count -= kExactQuick) quick_steps(quick);
      if (count > 0) keep_most();
      for (; count > 0; --count) single_step(quick);
    } else {
      for (; count > 0; --count) {
        keep_most();
        single_step(quick);
      }
    }
    keep_most();
  }

  /// The first block, whose bounds change their scale every kExactQuick steps.
  HWY_INLINE void first_block(const ExactLimits& limits, std::uint64_t count) {
    remember(ts_real(1.0));
    Real largest[kVectors];
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA { largest[i] = hn::Zero(Reals()); });
    for (std::uint64_t done = 0; done < count; done += kExactQuick) {
      const QuickBound& quick = limits.quick[quick_of(done)];
      join(quick);
      each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA { most[i] = hn::Zero(Reals()); });
      steps(quick, std::min<std::uint64_t>(kExactQuick, count - done));
      scale(quick.unscaled);
      each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
        largest[i] = hn::Max(largest[i], hn::Mul(most[i], ts_real(quick.unscaled)));
      });
    }
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA { most[i] = largest[i]; });
  }

  /// A later block.
  HWY_INLINE void block(const QuickBound& quick, std::uint64_t count) {
    remember(ts_real(quick.unscaled));
    if (kDegree == 2 && HWY_LIKELY(count == kExactBlock)) {
      for (std::uint32_t i = 0; i < kExactBlock / kExactQuick; ++i) quick_steps(quick);
      keep_most();
    } else {
      steps(quick, count);
    }
  }

  /// Moves lanes whose z is not surely within, or whose bounds are too large, to the list of those
  /// that leave. `unscaled` times a bound is the bound.
  HWY_INLINE void collect(const ExactLimits& limits, std::size_t first, std::uint64_t n_before,
                          double unscaled, Real last, ExactWorkspace& exact) {
    Mask gone[kVectors];
    Mask any = hn::FirstN(Reals(), 0);
    const Real within2 = ts_real(limits.within2);
    const Real most_scaled = ts_real(TS_BOUND_MOST / unscaled);
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Mask small = hn::Le(most[i], most_scaled);
      const Mask sure =
          ts_surely_within(ts_radius2(x[i], y[i]), within2, hn::Mul(bound[i], ts_real(unscaled)));
      Mask stays = hn::And(alive[i], hn::And(small, sure));
      if constexpr (kAgain) {
        const BitsOfReal start =
            hn::ShiftRight<32>(hn::Load(Bits(), &exact.active.origin[first + i * kLanes]));
        const Real n = real_of(hn::Add(start, ts_bits(n_before + kExactBlock)));
        stays = hn::And(stays, hn::Le(n, last));
      }
      gone[i] = hn::AndNot(stays, alive[i]);
      alive[i] = stays;
      any = hn::Or(any, gone[i]);
    });
    if (hn::AllFalse(Reals(), any)) return;
    BoundedList& list = exact.leaving;
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = first + i * kLanes;
      const BitsOfReal pixel = hn::Load(Bits(), &exact.active.origin[at]);
      append(hn::Load(Reals(), before_x + i * kLanes), gone[i], &list.x[list.size]);
      append(hn::Load(Reals(), before_y + i * kLanes), gone[i], &list.y[list.size]);
      append(hn::Load(Reals(), before_bound + i * kLanes), gone[i], &list.bound[list.size]);
      append(c_re[i], gone[i], &list.c_re[list.size]);
      append(c_im[i], gone[i], &list.c_im[list.size]);
      append(hn::Add(pixel, ts_bits(n_before << 32)), gone[i], &list.origin[list.size]);
      list.size += hn::CountTrue(Reals(), gone[i]);
    });
  }

  /// Drops lanes whose z and bound are those of the saved z: they return for ever.
  HWY_INLINE void drop_returned(BoundedList& list, std::size_t first, double unscaled) {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = first + i * kLanes;
      Mask same = hn::And(hn::Eq(x[i], hn::Load(Reals(), &list.saved_x[at])),
                          hn::Eq(y[i], hn::Load(Reals(), &list.saved_y[at])));
      same = hn::And(same, hn::Le(hn::Mul(bound[i], ts_real(unscaled)),
                                  hn::Load(Reals(), &list.saved_bound[at])));
      alive[i] = hn::AndNot(same, alive[i]);
    });
  }

  HWY_INLINE bool any_alive() const {
    Mask any = alive[0];
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA { any = hn::Or(any, alive[i]); });
    return !hn::AllFalse(Reals(), any);
  }

  /// Moves the alive lanes to list[kept...], kept <= first. Returns the new value of `kept`.
  HWY_INLINE std::size_t keep(BoundedList& list, std::size_t first, std::size_t kept) const {
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = first + i * kLanes;
      append(x[i], alive[i], &list.x[kept]);
      append(y[i], alive[i], &list.y[kept]);
      append(c_re[i], alive[i], &list.c_re[kept]);
      append(c_im[i], alive[i], &list.c_im[kept]);
      append(bound[i], alive[i], &list.bound[kept]);
      append(hn::Load(Reals(), &list.saved_x[at]), alive[i], &list.saved_x[kept]);
      append(hn::Load(Reals(), &list.saved_y[at]), alive[i], &list.saved_y[kept]);
      append(hn::Load(Reals(), &list.saved_bound[at]), alive[i], &list.saved_bound[kept]);
      append(hn::Load(Bits(), &list.origin[at]), alive[i], &list.origin[kept]);
      kept += hn::CountTrue(Reals(), alive[i]);
    });
    return kept;
  }
};

/// Advances one group by a pass. Returns the steps of each of its pixels.
template <class Formula, std::size_t kVectors, bool kAgain>
HWY_NOINLINE std::uint64_t advance_bounded(const ExactLimits& limits, const BoundedPass& pass,
                                           std::size_t first, std::size_t& kept,
                                           ExactWorkspace& exact) {
  BoundedGroup<Formula, kVectors, kAgain> group;
  group.load(exact.active, first);
  const Real last = ts_real(pass.last);
  std::uint64_t done = 0;
  if (pass.n < kExactBlock) {
    group.first_block(limits, pass.steps);
    done = pass.steps;
    group.collect(limits, first, pass.n, 1, last, exact);
  } else {
    const QuickBound& quick = limits.quick[quick_of(pass.n)];
    pass.joins ? group.join(quick) : group.scale(quick.scale);
    do {
      const std::uint64_t steps = std::min<std::uint64_t>(kExactBlock, pass.steps - done);
      group.block(quick, steps);
      group.collect(limits, first, pass.n + done, quick.unscaled, last, exact);
      group.drop_returned(exact.active, first, quick.unscaled);
      done += steps;
    } while (done < pass.steps && group.any_alive());
    group.scale(quick.unscaled);
  }
  kept = group.keep(exact.active, first, kept);
  return done;
}

template <class Formula, bool kAgain>
HWY_INLINE std::uint64_t run_bounded_pass(const ExactLimits& limits, const BoundedPass& pass,
                                          Workspace& work, ExactWorkspace& exact) {
  const std::size_t size = exact.active.size;
  std::uint64_t executed = 0;
  std::size_t kept = 0;
  for (std::size_t first = 0; first < size;) {
    if (pass.steps > kStepsPerQuestion && work.is_unwanted()) break;
    const std::size_t left = size - first;
    const bool many = left > kLanes;
    const std::size_t vectors = many ? kBoundedVectors : 1;
    const std::uint64_t steps =
        many ? advance_bounded<Formula, kBoundedVectors, kAgain>(limits, pass, first, kept, exact)
             : advance_bounded<Formula, 1, kAgain>(limits, pass, first, kept, exact);
    executed += steps * std::min(left, vectors * kLanes);
    first += vectors * kLanes;
  }
  exact.active.size = kept;
  return executed;
}

/// Runs all passes from n to `end`. Pixels that stay have the count N already. `last`: the last n
/// that is tested. Returns the executed orbit steps.
template <class Formula, bool kAgain>
HWY_NOINLINE std::uint64_t bounded_passes(const ExactLimits& limits, std::uint64_t n,
                                          std::uint64_t end, std::uint64_t last, Workspace& work,
                                          ExactWorkspace& exact) {
  BoundedList& list = exact.active;
  std::uint64_t executed = 0;
  std::uint64_t next_save = kExactBlock;
  std::uint64_t requested = kExactBlock;
  std::size_t joined = 0;
  while (n < end && list.size > 0) {
    const std::size_t before = list.size;
    const std::size_t quick = quick_of(n);
    // Up to where the next bounds begin.
    const std::uint64_t octave = (std::bit_ceil(n + 1) - n + kExactBlock - 1) / kExactBlock;
    std::uint64_t steps = n < kExactBlock ? kExactBlock : std::min(requested, octave * kExactBlock);
    steps = std::min(steps, end - n);
    if (work.unwanted) steps = std::min(steps, kMaxInterruptibleSteps);
    const BoundedPass pass{n, steps, n >= kExactBlock && quick != joined,
                           static_cast<double>(last)};
    executed += run_bounded_pass<Formula, kAgain>(limits, pass, work, exact);
    joined = n < kExactBlock ? quick_of(kExactBlock - 1) : quick;
    n += steps;
    if (n >= next_save) {  // Brent (1980)
      std::copy_n(list.x.data(), list.size, list.saved_x.data());
      std::copy_n(list.y.data(), list.size, list.saved_y.data());
      std::copy_n(list.bound.data(), list.size, list.saved_bound.data());
      next_save = n + n / 2;
    }
    if (list.size > before - before / 16) {
      requested =
          std::min(2 * requested, std::max(n / 2 / kExactBlock * kExactBlock, std::uint64_t{16}));
    } else if (list.size < before - before / 6) {
      requested = std::max(requested / 2 / kExactBlock * kExactBlock, std::uint64_t{16});
    }
  }
  list.size = 0;
  return executed;
}

/// kLeavingVectors vectors of orbits that leave R within a block, from its start on.
template <class Formula, bool kSmooth>
struct LeavingScan {
  static constexpr int kDegree = Formula::kDegree;
  Real x[kLeavingVectors], y[kLeavingVectors], c_re[kLeavingVectors], c_im[kLeavingVectors];
  Real n[kLeavingVectors], m[kLeavingVectors], m_radius2[kLeavingVectors];
  // Of the last z that was tested, and of the one before; 0 for none.
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
  HWY_INLINE void store(const ExactLimits& limits, double iterations, std::uint32_t* counts,
                        float* smooth, Mask (&open)[kLeavingVectors]) const {
    const Real bailout2 = ts_real(limits.bailout2);
    const Real most = ts_real(iterations);
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
        const Real value = Formula::smooth(m[i], hn::Max(m_radius2[i], ts_real(kSmoothRadius2)));
        store_smooth(hn::IfThenElse(within, most, value), smooth + i * kLanes);
      }
    });
  }
};

/// Counts the orbits of the list of those that leave. Returns the executed orbit steps.
template <class Formula, bool kSmooth>
HWY_NOINLINE std::uint64_t leaving_orbits(const ExactLimits& limits, std::uint32_t iterations,
                                          Workspace& work, ExactWorkspace& exact) {
  constexpr std::size_t kPixels = kLeavingVectors * kLanes;
  BoundedList& list = exact.leaving;
  std::uint64_t executed = 0;
  const Real last = ts_real(static_cast<double>(iterations - 1));
  for (std::size_t base = 0; base < list.size; base += kPixels) {
    LeavingScan<Formula, kSmooth> scan;
    scan.load(list, base);
    const std::size_t filled = std::min(kPixels, list.size - base);
    for (; scan.any_alive(); executed += filled) scan.test_and_step(limits, last);
    HWY_ALIGN std::uint32_t counts[kPixels];
    HWY_ALIGN float smooth[kPixels];
    Mask open[kLeavingVectors];
    scan.store(limits, iterations, counts, smooth, open);
    for (std::size_t k = 0; k < filled; ++k) {
      const auto pixel = static_cast<std::uint32_t>(list.origin[base + k]);
      work.counts[pixel] = counts[k];
      if constexpr (kSmooth) work.smooth[pixel] = smooth[k];
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

/// The first blocks of kBoundedVectors vectors of pixels, by errors that are known beforehand.
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
      const QuickBound& quick = bounds.quick[quick_of(done)];
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
    append(group.x[i], mask, &list.x[list.size]);
    append(group.y[i], mask, &list.y[list.size]);
    append(group.c_re[i], mask, &list.c_re[list.size]);
    append(group.c_im[i], mask, &list.c_im[list.size]);
    append(group.bound[i], mask, &list.bound[list.size]);
    append(ts_real(-1.0), mask, &list.saved_bound[list.size]);
    append(pixel, mask, &list.origin[list.size]);
    list.size += hn::CountTrue(Reals(), mask);
  }

  template <class Index>
  HWY_INLINE void add_leaving(Mask mask, Index i, BitsOfReal pixel, BoundedList& list) const {
    if (HWY_LIKELY(hn::AllFalse(Reals(), mask))) return;
    constexpr auto kStart = static_cast<std::uint64_t>(kFirst) << 32;
    append(hn::Load(Reals(), group.before_x + i * kLanes), mask, &list.x[list.size]);
    append(hn::Load(Reals(), group.before_y + i * kLanes), mask, &list.y[list.size]);
    append(hn::Load(Reals(), group.before_bound + i * kLanes), mask, &list.bound[list.size]);
    append(group.c_re[i], mask, &list.c_re[list.size]);
    append(group.c_im[i], mask, &list.c_im[list.size]);
    append(hn::Or(pixel, ts_bits(kStart)), mask, &list.origin[list.size]);
    list.size += hn::CountTrue(Reals(), mask);
  }

  HWY_INLINE void store(double iterations, std::uint32_t* counts, float* smooth) const {
    const Real most = ts_real(iterations);
    each<kBoundedVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      store_counts(hn::IfThenElse(beyond[i], n[i], most), counts + i * kLanes);
      if constexpr (kSmooth) {
        Real value = most;
        if (!hn::AllFalse(Reals(), beyond[i])) {
          const Real radius2 = hn::Max(m_radius2[i], ts_real(kSmoothRadius2));
          value = hn::IfThenElse(beyond[i], Formula::smooth(m[i], radius2), most);
        }
        store_smooth(value, smooth + i * kLanes);
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
      // If all pixels before have stayed, these probably do, and need no tests.
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
      // From here on, z is right for those that are beyond alone.
      if constexpr (kSmooth) steps += blocks.finish_smooth();
    }
    blocks.store(limits.iterations, &work.counts[base], &work.smooth[base]);
    executed += steps * std::min(kPixels, pixels - base);
  }
  return executed;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
