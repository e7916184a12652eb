// Some vectors of orbits in f64, with bounds of their errors. The bits are those of
// kernels/pixel/bounded_orbit.h.
#if defined(TESSERA_DEVICE_CPU_PIXELS_BOUNDED_GROUP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_BOUNDED_GROUP_INL
#undef TESSERA_DEVICE_CPU_PIXELS_BOUNDED_GROUP_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_BOUNDED_GROUP_INL
#endif

#include <algorithm>

#include "device/cpu/pixels/exact_workspace.hpp"
#include "device/cpu/pixels/later_passes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Vectors of a group: with more, the compiler would spill registers.
inline constexpr std::size_t kBoundedVectors = HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM_A64 ? 3 : 2;

/// A vector of z, their c and their bounds.
struct BoundedPoints {
  Real x, y, c_re, c_im, bound;
};

/// Appends the points of a mask to a list. No z of theirs is saved.
HWY_INLINE void append(const BoundedPoints& points, BitsOfReal origins, Mask mask,
                       BoundedList& list) {
  append(points.x, mask, &list.x[list.size]);
  append(points.y, mask, &list.y[list.size]);
  append(points.c_re, mask, &list.c_re[list.size]);
  append(points.c_im, mask, &list.c_im[list.size]);
  append(points.bound, mask, &list.bound[list.size]);
  append(origins, mask, &list.origin[list.size]);
  list.size += hn::CountTrue(Reals(), mask);
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

/// kVectors vectors of the active list, from `first`. With kAgain, orbits begin with a z of more
/// bits, each at the n of its origin. An orbit goes to the list of those that leave before a block
/// that would pass its last n.
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
      const QuickBound& quick = limits.quick[kernels::ts_quick_of(done)];
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
  /// that leave. Bounds of the group are those times 1 / `unscaled`.
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
    each<kVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const BitsOfReal pixel = hn::Load(Bits(), &exact.active.origin[first + i * kLanes]);
      append(before(i), hn::Add(pixel, ts_bits(n_before << 32)), gone[i], exact.leaving);
    });
  }

  /// Vector i at the start of the block.
  template <class Index>
  HWY_INLINE BoundedPoints before(Index i) const {
    return {hn::Load(Reals(), before_x + i * kLanes), hn::Load(Reals(), before_y + i * kLanes),
            c_re[i], c_im[i], hn::Load(Reals(), before_bound + i * kLanes)};
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

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
