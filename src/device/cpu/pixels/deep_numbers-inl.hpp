// The numbers of pixels in vectors: f64, and 106 bits; how they are loaded from the tables.
#if defined(TESSERA_DEVICE_CPU_PIXELS_DEEP_NUMBERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_DEEP_NUMBERS_INL
#undef TESSERA_DEVICE_CPU_PIXELS_DEEP_NUMBERS_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_DEEP_NUMBERS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "deep/tiers.hpp"
#include "device/cpu/simd/simd_math-inl.hpp"

// Four numbers are transposed at a time, so vectors must hold four.
#if HWY_MAX_BYTES >= 32

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace deep_lanes {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using DI = hn::RebindToSigned<D>;
using Real = hn::Vec<D>;
using Whole = hn::Vec<DI>;
using Mask = hn::Mask<D>;
constexpr std::size_t kWidth = HWY_LANES(double);

HWY_INLINE Real real(double value) {
  return hn::Set(D(), value);
}

/// Four columns of rows of 4 f64.
struct Columns {
  Real a, b, c, d;
};

HWY_INLINE Real row_pair(const double* const* rows, std::size_t i) {
#if HWY_MAX_BYTES >= 64
  const hn::FixedTag<double, 4> half;
  return hn::Combine(D(), hn::Load(half, rows[i + 4]), hn::Load(half, rows[i]));
#else
  return hn::Load(D(), rows[i]);
#endif
}

/// The 4 numbers at each lane's address, which is a multiple of 32.
HWY_INLINE Columns load_columns(const double* const* rows) {
  const Real r0 = row_pair(rows, 0);
  const Real r1 = row_pair(rows, 1);
  const Real r2 = row_pair(rows, 2);
  const Real r3 = row_pair(rows, 3);
  const Real low01 = hn::InterleaveLower(D(), r0, r1);
  const Real high01 = hn::InterleaveUpper(D(), r0, r1);
  const Real low23 = hn::InterleaveLower(D(), r2, r3);
  const Real high23 = hn::InterleaveUpper(D(), r2, r3);
  return {hn::OddEvenBlocks(hn::SwapAdjacentBlocks(low23), low01),
          hn::OddEvenBlocks(hn::SwapAdjacentBlocks(high23), high01),
          hn::OddEvenBlocks(low23, hn::SwapAdjacentBlocks(low01)),
          hn::OddEvenBlocks(high23, hn::SwapAdjacentBlocks(high01))};
}

/// The numbers from the k-th on at each lane's address.
HWY_INLINE Columns load_columns_at(const double* const* rows, std::size_t k) {
  const double* moved[kWidth];
  for (std::size_t lane = 0; lane < kWidth; ++lane) moved[lane] = rows[lane] + k;
  return load_columns(moved);
}

HWY_INLINE Columns broadcast_columns(const double* row) {
  return {real(row[0]), real(row[1]), real(row[2]), real(row[3])};
}

struct Complex {
  Real re, im;
};

/// f64, with the operations of kernels/deep/advance.h.
struct FastNumbers {
  using Tier = deep::FastTier;
  using Number = Real;
  using Pixel = Tier::Pixel;
  using Complex = deep_lanes::Complex;
  using Entry = kernels::TsJumpEntry;

  struct Node {
    Complex z;
    Real radius2, place;
  };
  struct Jump {
    Complex a, q, b;
    Whole length;
  };

  static HWY_INLINE Real leading(Real a) { return a; }
  static HWY_INLINE Real negative(Real a) { return hn::Neg(a); }
  static HWY_INLINE Real select(Mask mask, Real yes, Real no) {
    return hn::IfThenElse(mask, yes, no);
  }
  static HWY_INLINE Mask equal(Real a, Real b) { return hn::Eq(a, b); }
  static HWY_INLINE Real plus(Real a, Real b) { return hn::Add(a, b); }
  static HWY_INLINE Real accurate_sum(Real a, Real b) { return hn::Add(a, b); }
  static HWY_INLINE Real twice_plus(Real a, Real b) { return hn::MulAdd(real(2.0), a, b); }
  static HWY_INLINE Complex times(const Complex& a, const Complex& b) {
    return {hn::MulSub(a.re, b.re, hn::Mul(a.im, b.im)),
            hn::MulAdd(a.re, b.im, hn::Mul(a.im, b.re))};
  }
  static HWY_INLINE Complex times_plus(const Complex& a, const Complex& b, const Complex& c) {
    return {hn::MulAdd(a.re, b.re, hn::NegMulAdd(a.im, b.im, c.re)),
            hn::MulAdd(a.re, b.im, hn::MulAdd(a.im, b.re, c.im))};
  }

  static Entry plain_entry(double unit) {
    return {
        .radius2 = std::numeric_limits<double>::infinity(), .a_re = 1, .b_re = unit, .length = 1};
  }
  /// The node of one element, for all lanes.
  static HWY_INLINE Node node_at(const Tier& tier, std::int64_t m) {
    return node(broadcast_columns(row(tier, m)));
  }
  /// The nodes of the element of each lane.
  static HWY_INLINE Node nodes_at(const Tier& tier, const std::int64_t* at) {
    const double* rows[kWidth];
    for (std::size_t lane = 0; lane < kWidth; ++lane) rows[lane] = row(tier, at[lane]);
    return node(load_columns(rows));
  }
  static HWY_INLINE double radius2(const Tier&, const Entry& entry) { return entry.radius2; }
  template <class Load>
  static HWY_INLINE Jump jump(const Load& load) {
    const Columns c = load(0);
    const Columns d = load(4);
    return {{c.b, c.c}, {c.d, d.a}, {d.b, d.c}, hn::BitCast(DI(), d.d)};
  }

  struct Spilled {
    HWY_ALIGN double at[kWidth];
  };
  static HWY_INLINE void spill(Real a, Spilled& to) { hn::Store(a, D(), to.at); }
  static HWY_INLINE Real reload(const Spilled& from) { return hn::Load(D(), from.at); }
  static void put(Spilled& to, std::size_t lane, double value) { to.at[lane] = value; }
  static double get(const Spilled& from, std::size_t lane) { return from.at[lane]; }
  static constexpr double kNear = TS_DEEP_NEAR;

 private:
  static const double* row(const Tier& tier, std::int64_t m) {
    return &tier.table.nodes[static_cast<std::size_t>(m)].re;
  }
  static HWY_INLINE Node node(const Columns& c) { return {{c.a, c.b}, c.c, c.d}; }
};

struct TwoReals {
  Real hi, lo;
};

/// 106 bits, with the operations of kernels/deep/double_double.h.
struct PreciseNumbers {
  using Tier = deep::PreciseTier;
  using Number = TwoReals;
  using Pixel = Tier::Pixel;
  using Entry = kernels::PreciseEntry;

  struct Complex {
    TwoReals re, im;
  };
  struct Node {
    Complex z;
    Real radius2, place;
  };
  struct Jump {
    Complex a, q, b;
    Whole length;
  };

  static HWY_INLINE TwoReals quick_two_sum(Real a, Real b) {
    const Real sum = hn::Add(a, b);
    return {sum, hn::Sub(b, hn::Sub(sum, a))};
  }
  static HWY_INLINE TwoReals two_sum(Real a, Real b) {
    const Real sum = hn::Add(a, b);
    const Real b_part = hn::Sub(sum, a);
    return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, b_part)), hn::Sub(b, b_part))};
  }
  static HWY_INLINE TwoReals accurate_sum(const TwoReals& a, const TwoReals& b) {
    TwoReals sum = two_sum(a.hi, b.hi);
    const TwoReals low = two_sum(a.lo, b.lo);
    sum = quick_two_sum(sum.hi, hn::Add(sum.lo, low.hi));
    return quick_two_sum(sum.hi, hn::Add(sum.lo, low.lo));
  }
  static HWY_INLINE TwoReals plus(const TwoReals& a, const TwoReals& b) {
    const TwoReals sum = two_sum(a.hi, b.hi);
    return quick_two_sum(sum.hi, hn::Add(sum.lo, hn::Add(a.lo, b.lo)));
  }
  static HWY_INLINE TwoReals two_product(Real a, Real b) {
    const Real product = hn::Mul(a, b);
    return {product, hn::MulSub(a, b, product)};
  }
  static HWY_INLINE TwoReals sum_of_products(const TwoReals& a, const TwoReals& b,
                                             const TwoReals& c, const TwoReals& d) {
    const TwoReals ab = two_product(a.hi, b.hi);
    const TwoReals cd = two_product(c.hi, d.hi);
    const TwoReals sum = two_sum(ab.hi, cd.hi);
    const Real of_cd = hn::MulAdd(c.hi, d.lo, hn::Mul(c.lo, d.hi));
    const Real cross = hn::MulAdd(a.hi, b.lo, hn::MulAdd(a.lo, b.hi, of_cd));
    return quick_two_sum(sum.hi, hn::Add(sum.lo, hn::Add(hn::Add(ab.lo, cd.lo), cross)));
  }

  static HWY_INLINE Real leading(const TwoReals& a) { return a.hi; }
  static HWY_INLINE TwoReals negative(const TwoReals& a) { return {hn::Neg(a.hi), hn::Neg(a.lo)}; }
  static HWY_INLINE TwoReals select(Mask mask, const TwoReals& yes, const TwoReals& no) {
    return {hn::IfThenElse(mask, yes.hi, no.hi), hn::IfThenElse(mask, yes.lo, no.lo)};
  }
  static HWY_INLINE Mask equal(const TwoReals& a, const TwoReals& b) {
    return hn::And(hn::Eq(a.hi, b.hi), hn::Eq(a.lo, b.lo));
  }
  static HWY_INLINE TwoReals twice_plus(const TwoReals& a, const TwoReals& b) {
    return plus({hn::Add(a.hi, a.hi), hn::Add(a.lo, a.lo)}, b);
  }
  static HWY_INLINE Complex times(const Complex& a, const Complex& b) {
    return {sum_of_products(a.re, b.re, negative(a.im), b.im),
            sum_of_products(a.re, b.im, a.im, b.re)};
  }
  static HWY_INLINE Complex times_plus(const Complex& a, const Complex& b, const Complex& c) {
    const Complex ab = times(a, b);
    return {plus(ab.re, c.re), plus(ab.im, c.im)};
  }

  static Entry plain_entry(double unit) {
    Entry entry;
    entry.radius2.fill(std::numeric_limits<double>::infinity());
    entry.length = 1;
    entry.a_re.hi = 1;
    entry.b_re.hi = unit;
    return entry;
  }
  /// The node of one element, for all lanes.
  static HWY_INLINE Node node_at(const Tier& tier, std::int64_t m) {
    const kernels::PreciseNode node = tier.jumps.nodes[static_cast<std::uint64_t>(m)];
    return {{{real(node.re), real(node.re_low)}, {real(node.im), real(node.im_low)}},
            real(node.radius2),
            hn::BitCast(D(), hn::Set(DI(), place_of(node)))};
  }
  /// The nodes of the element of each lane.
  static HWY_INLINE Node nodes_at(const Tier& tier, const std::int64_t* at) {
    const double* rows[kWidth];
    HWY_ALIGN double re_low[kWidth], im_low[kWidth], radius2[kWidth];
    HWY_ALIGN std::int64_t place[kWidth];
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      const auto m = static_cast<std::uint64_t>(at[lane]);
      const kernels::PreciseNode node = tier.jumps.nodes[m];
      rows[lane] = &tier.jumps.nodes.elements[m].re;
      re_low[lane] = node.re_low;
      im_low[lane] = node.im_low;
      radius2[lane] = node.radius2;
      place[lane] = place_of(node);
    }
    const Columns c = load_columns(rows);
    return {{{c.a, hn::Load(D(), re_low)}, {c.b, hn::Load(D(), im_low)}},
            hn::Load(D(), radius2),
            hn::BitCast(D(), hn::Load(DI(), place))};
  }
  static HWY_INLINE double radius2(const Tier& tier, const Entry& entry) {
    return entry.radius2[tier.number];
  }
  template <class Load>
  static HWY_INLINE Jump jump(const Load& load) {
    const Columns c = load(0);
    const Columns d = load(4);
    const Columns e = load(8);
    const Columns f = load(12);
    return {{{c.b, c.c}, {c.d, d.a}},
            {{d.b, d.c}, {d.d, e.a}},
            {{e.b, e.c}, {e.d, f.a}},
            hn::BitCast(DI(), c.a)};
  }

  struct Spilled {
    FastNumbers::Spilled hi, lo;
  };
  static HWY_INLINE void spill(const TwoReals& a, Spilled& to) {
    FastNumbers::spill(a.hi, to.hi);
    FastNumbers::spill(a.lo, to.lo);
  }
  static HWY_INLINE TwoReals reload(const Spilled& from) {
    return {FastNumbers::reload(from.hi), FastNumbers::reload(from.lo)};
  }
  static void put(Spilled& to, std::size_t lane, const kernels::DoubleDouble& value) {
    to.hi.at[lane] = value.hi;
    to.lo.at[lane] = value.lo;
  }
  static kernels::DoubleDouble get(const Spilled& from, std::size_t lane) {
    return {from.hi.at[lane], from.lo.at[lane]};
  }
  /// Where |z|^2 is so near R^2 that the scalar loop compares more bits.
  static constexpr double kNear = 1e-9;

 private:
  /// As the last 8 bytes of a TsJumpNode.
  static HWY_INLINE std::int64_t place_of(const kernels::PreciseNode& node) {
    return static_cast<std::int64_t>(std::uint64_t{node.levels_and_error} << 32 | node.first);
  }
};

}  // namespace deep_lanes
}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HWY_MAX_BYTES

#endif
