// The loop of kernels/deep/advance.h over whole vectors of pixels, in f64 and in 106 bits. A lane
// does the same operations as the scalar loop, and leaves its vector for the scalar loop before the
// step in which anything ends.
#if defined(TESSERA_DEVICE_CPU_PIXELS_DEEP_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_DEEP_LANES_INL
#undef TESSERA_DEVICE_CPU_PIXELS_DEEP_LANES_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_DEEP_LANES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "device/cpu/pixels/deep_differences-inl.hpp"
#include "device/cpu/pixels/deep_lane_numbers-inl.hpp"
#include "device/cpu/pixels/deep_numbers-inl.hpp"

// Four numbers are transposed at a time, so vectors must hold four.
#if HWY_MAX_BYTES >= 32

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace deep_lanes {

/// The state that all lanes share.
template <class Numbers>
struct Shared {
  const typename Numbers::Tier& tier;
  typename Numbers::Entry plain;  ///< a step without a jump: a = 1, q = 0, b = the unit of c
  std::vector<typename Numbers::Pixel>& pixels;
  std::vector<std::uint32_t>& states;
};

/// Without `kDerivatives`, an image has neither distances nor the derivative's test.
template <class Numbers, bool kHasJumps, bool kDerivatives>
class Lanes {
 public:
  using Number = typename Numbers::Number;
  using Complex = typename Numbers::Complex;
  using Pixel = typename Numbers::Pixel;
  using Difference = DifferenceOf<Numbers>;

  explicit Lanes(const Shared<Numbers>& shared) : shared_(shared), limits_(shared.tier.limits) {}

  std::size_t live() const { return live_count_; }
  bool has_room() const { return live_count_ < kWidth; }

  /// Puts a pixel into a free lane.
  void add(std::uint32_t index) {
    const Pixel& p = shared_.pixels[index];
    if (p.count != limits_.limit) {
      finish(index);
      return;
    }
    std::size_t lane = 0;
    while (index_[lane] != kFree) ++lane;
    index_[lane] = index;
    ++live_count_;
    now_.spill(at_);
    at_.put(lane, p);
    reload();
  }

  /// Stores all pixels that are not done, and frees their lanes.
  void leave(std::vector<std::uint32_t>& pool) {
    now_.spill(at_);
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      if (index_[lane] == kFree) continue;
      at_.get(lane, shared_.pixels[index_[lane]]);
      pool.push_back(index_[lane]);
      free_lane(lane);
    }
  }

  HWY_INLINE void step() {
    Slopes slopes = now_.slopes;
    Complex bc = now_.plain_c;
    Complex z;
    Real growth, spread;
    Whole length = hn::Set(DI(), 1);
    if constexpr (kHasJumps) {
      const Complex w{Numbers::twice_plus(node_.z.re, now_.z.re),
                      Numbers::twice_plus(node_.z.im, now_.z.im)};
      const Complex t = Numbers::times(now_.z, w);
      const Real t2 = size2(t);
      const Slope v = sum(leading(w), leading(now_.z));
      Real growth2 = size2_of(v);
      const Mask jumps = hn::And(hn::Lt(t2, node_.radius2), live_);
      if (hn::AllFalse(D(), jumps)) {
        z = {Numbers::plus(t.re, bc.re), Numbers::plus(t.im, bc.im)};
        if (follows()) slopes.right = followed(v, {real(limits_.plain_slope), hn::Zero(D())});
      } else {
        const auto jump = find(jumps, t2);
        const Complex f = Numbers::times_plus(jump.q, t, jump.a);
        const Slope g = FastNumbers::times_plus(leading(jump.q), leading(t), leading(f));
        growth2 = hn::Mul(growth2, size2_of(g));
        if (follows()) {
          const Real step = real(limits_.slope_step);
          const Slope b = leading(jump.b);
          slopes.right =
              followed(FastNumbers::times(g, v), {hn::Mul(b.re, step), hn::Mul(b.im, step)});
        }
        bc = Numbers::times(jump.b, now_.c);
        z = Numbers::times_plus(t, f, bc);
        length = jump.length;
      }
      growth = hn::Sqrt(growth2);
    } else {
      const auto d = Difference::of(limits_, node_.z, now_.z);
      if (follows()) follow_step(limits_, Difference::full(node_.z, now_.z), slopes);
      z = {Numbers::plus(d.t.re, bc.re), Numbers::plus(d.t.im, bc.im)};
      growth = d.growth;
      spread = d.spread;
    }
    Whole m = hn::Add(now_.m, length);
    const Whole n = hn::Add(now_.n, length);
    Real sizes = hn::Add(sum_of_parts(z), sum_of_parts(bc));
    if constexpr (!kHasJumps) sizes = hn::Add(spread, sizes);
    Real error = hn::MulAdd(growth, now_.error, hn::Mul(real(shared_.tier.rounding), sizes));
    const Real contraction = contracts() ? hn::Mul(now_.contraction, growth) : now_.contraction;

    auto node = nodes_at(m);
    const Complex full{Numbers::accurate_sum(node.z.re, z.re),
                       Numbers::accurate_sum(node.z.im, z.im)};
    const Real r2 = size2(full);
    Mask ends = must_be_looked_at(full, r2, error);
    ends = hn::Or(ends,
                  hn::RebindMask(
                      D(), hn::Gt(n, hn::Set(DI(), static_cast<std::int64_t>(limits_.limit) - 1))));

    Mask rebase = hn::Or(
        hn::Lt(r2, size2(z)),
        hn::RebindMask(D(), hn::Gt(m, hn::Set(DI(), static_cast<std::int64_t>(limits_.last) - 1))));
    if (kHasJumps && limits_.first != 0) {
      const Whole end = hn::Set(DI(), static_cast<std::int64_t>(limits_.first) - 1);
      rebase = hn::Or(rebase, hn::RebindMask(D(), hn::Eq(m, end)));
    }
    const bool any_rebase = !hn::AllFalse(D(), rebase);
    if (any_rebase) {
      z = {Numbers::select(rebase, full.re, z.re), Numbers::select(rebase, full.im, z.im)};
      m = hn::IfThenZeroElse(hn::RebindMask(DI(), rebase), m);
      const Real rounded = hn::MulAdd(real(shared_.tier.rounding), sum_of_parts(full), error);
      error = hn::IfThenElse(rebase, hn::Add(rounded, element_error(node.place)), error);
      const auto origin = Numbers::node_at(shared_.tier, 0);
      node.z = {Numbers::select(rebase, origin.z.re, node.z.re),
                Numbers::select(rebase, origin.z.im, node.z.im)};
      node.radius2 = hn::IfThenElse(rebase, origin.radius2, node.radius2);
      node.place = hn::IfThenElse(rebase, origin.place, node.place);
      ends = hn::Or(ends, hn::And(rebase, hn::And(Numbers::equal(z.re, now_.saved.re),
                                                  Numbers::equal(z.im, now_.saved.im))));
    }
    const Real small = real(limits_.small);
    ends = hn::Or(ends, hn::And(hn::Lt(hn::Abs(Numbers::leading(z.re)), small),
                                hn::Lt(hn::Abs(Numbers::leading(z.im)), small)));
    if (contracts()) ends = hn::Or(ends, hn::Lt(contraction, real(limits_.inside)));
    ends = hn::And(ends, live_);
    if (HWY_UNLIKELY(!hn::AllFalse(D(), ends))) end_lanes(ends);

    if (any_rebase) save_rebased(rebase, z, error);
    now_.z = {Numbers::select(live_, z.re, now_.zero()), Numbers::select(live_, z.im, now_.zero())};
    now_.error = hn::IfThenElseZero(live_, error);
    if (follows()) now_.slopes = slopes;
    if (contracts()) now_.contraction = contraction;
    now_.m = hn::IfThenElseZero(hn::RebindMask(DI(), live_), m);
    now_.n = n;
    now_.steps = hn::Add(now_.steps, hn::Set(DI(), 1));
    node_ = node;
  }

 private:
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;

  bool follows() const { return kDerivatives && limits_.want_distance != 0; }
  bool contracts() const { return kDerivatives && limits_.want_interior != 0; }

  static HWY_INLINE Slope leading(const Complex& a) { return Difference::leading(a); }
  /// As ts_deep_follow().
  HWY_INLINE Slope followed(const Slope& w, const Slope& add) const {
    return FastNumbers::times_plus(w, now_.slopes.right, add);
  }

  static HWY_INLINE Slope sum(const Slope& a, const Slope& b) {
    return {FastNumbers::plus(a.re, b.re), FastNumbers::plus(a.im, b.im)};
  }
  static HWY_INLINE Real size2_of(const Slope& a) { return DifferenceOf<FastNumbers>::size2(a); }
  static HWY_INLINE Real size2(const Complex& a) { return Difference::size2(a); }
  static HWY_INLINE Real sum_of_parts(const Complex& a) { return Difference::sum_of_parts(a); }

  /// Lanes that escape, come near the bailout, or have too large an error.
  HWY_INLINE Mask must_be_looked_at(const Complex& full, Real r2, Real error) const {
    const Real bailout2 = real(limits_.bailout2);
    const Real size = sum_of_parts(full);
    const Real safe = hn::Mul(real(TS_DEEP_SAFETY), error);
    const Real most = hn::Mul(real(TS_DEEP_LARGEST_ERROR), size);
    const Real near = hn::Max(hn::Mul(safe, hn::Add(size, real(limits_.bailout))),
                              hn::Mul(real(Numbers::kNear), bailout2));
    const Mask bad = hn::Or(hn::Gt(safe, most), hn::Le(hn::Abs(hn::Sub(r2, bailout2)), near));
    return hn::Or(bad, hn::Not(hn::Le(r2, real(test_))));
  }

  /// As ts_element_error(), of nodes' places.
  static HWY_INLINE Real element_error(Real place) {
    const auto e = hn::ShiftRight<40>(hn::BitCast(hn::RebindToUnsigned<D>(), place));
    const Whole biased = hn::Sub(hn::Set(DI(), 1023), hn::BitCast(DI(), e));
    return hn::BitCast(D(), hn::ShiftLeft<52>(hn::Max(biased, hn::Zero(DI()))));
  }

  HWY_INLINE auto nodes_at(Whole m) const {
    HWY_ALIGN std::int64_t at[kWidth];
    hn::Store(m, DI(), at);
    const bool one = hn::AllTrue(DI(), hn::Eq(m, hn::Set(DI(), at[0])));
    return one ? Numbers::node_at(shared_.tier, at[0]) : Numbers::nodes_at(shared_.tier, at);
  }

  /// The jump of each lane; a plain step in those that do not jump.
  HWY_INLINE auto find(Mask jumps, Real t2) const {
    HWY_ALIGN double sizes[kWidth];
    HWY_ALIGN std::uint64_t places[kWidth];
    hn::Store(t2, D(), sizes);
    hn::Store(hn::BitCast(hn::RebindToUnsigned<D>(), node_.place), hn::RebindToUnsigned<D>(),
              places);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(D(), jumps, bits);
    bool one = true;
    const double* rows[kWidth];
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      const auto* entry = &shared_.plain;
      if ((bits[0] >> lane & 1) != 0) {
        const auto first = static_cast<std::uint32_t>(places[lane]);
        entry = &shared_.tier.table.entries[first + (places[lane] >> 32 & 0xFF) - 1];
        while (!(sizes[lane] < Numbers::radius2(shared_.tier, *entry))) --entry;
      }
      rows[lane] = reinterpret_cast<const double*>(entry);
      one = one && rows[lane] == rows[0];
    }
    if (one)
      return Numbers::jump([&](std::size_t k)
                               TESSERA_INLINE_LAMBDA { return broadcast_columns(rows[0] + k); });
    return Numbers::jump([&](std::size_t k)
                             TESSERA_INLINE_LAMBDA { return load_columns_at(rows, k); });
  }

  HWY_INLINE void save_rebased(Mask rebase, const Complex& z, Real error) {
    const auto rebased = hn::RebindMask(DI(), rebase);
    now_.rebases = hn::IfThenElse(rebased, hn::Add(now_.rebases, hn::Set(DI(), 1)), now_.rebases);
    const auto due = hn::And(rebased, hn::Not(hn::Lt(now_.rebases, now_.saved_next)));
    const Mask saves = hn::RebindMask(D(), due);
    now_.saved = {Numbers::select(saves, z.re, now_.saved.re),
                  Numbers::select(saves, z.im, now_.saved.im)};
    now_.saved_error = hn::IfThenElse(saves, error, now_.saved_error);
    now_.saved_next = hn::IfThenElse(due, hn::Add(now_.rebases, now_.rebases), now_.saved_next);
  }

  HWY_NOINLINE void end_lanes(Mask ends) {
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(D(), ends, bits);
    now_.spill(at_);
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      if ((bits[0] >> lane & 1) == 0) continue;
      at_.get(lane, shared_.pixels[index_[lane]]);
      finish(index_[lane]);
      free_lane(lane);
    }
  }

  void finish(std::uint32_t index) {
    shared_.states[index] = deep::advance_pixel(shared_.tier, shared_.pixels[index]);
  }

  void free_lane(std::size_t lane) {
    index_[lane] = kFree;
    --live_count_;
    set_live();
  }

  void set_live() {
    HWY_ALIGN double live[kWidth];
    for (std::size_t lane = 0; lane < kWidth; ++lane) live[lane] = index_[lane] == kFree ? 0 : 1;
    live_ = hn::Gt(hn::Load(D(), live), real(0.5));
  }

  void reload() {
    now_.reload(at_);
    node_ = nodes_at(now_.m);
    set_live();
  }

  const Shared<Numbers>& shared_;
  const kernels::TsDeepLimits& limits_;
  /// |z|^2 beyond which the scalar loop continues.
  double test_ = limits_.want_smooth != 0 ? std::min(limits_.bailout2, TS_DEEP_SMOOTH_RADIUS2)
                                          : limits_.bailout2;
  std::uint32_t index_[8] = {kFree, kFree, kFree, kFree, kFree, kFree, kFree, kFree};
  std::size_t live_count_ = 0;
  Mask live_ = hn::FirstN(D(), 0);
  LaneNumbers<Numbers> now_;
  typename Numbers::Node node_{{now_.zero(), now_.zero()}, hn::Zero(D()), hn::Zero(D())};  ///< at m
  SpilledLanes<Numbers> at_{};
};

/// Whole vectors of neighbours first, which often are at the same element of the reference; then
/// those whose neighbours are done, in full vectors again.
template <class Numbers, bool kHasJumps, bool kDerivatives>
void advance_with(const typename Numbers::Tier& tier, std::vector<typename Numbers::Pixel>& pixels,
                  std::vector<std::uint32_t>& states) {
  const bool moves_c = tier.limits.first == 0;
  const Shared<Numbers> shared{
      tier,
      Numbers::plain_entry(moves_c ? kernels::ts_power_of_two(tier.image.unit_exponent) : 0.0),
      pixels, states};
  const auto count = static_cast<std::uint32_t>(pixels.size());
  std::vector<std::uint32_t> pool;
  std::uint32_t next = 0;
  const auto fill = [&](Lanes<Numbers, kHasJumps, kDerivatives>& lanes) {
    while (lanes.has_room() && next < count) lanes.add(next++);
  };
  while (next < count) {
    Lanes<Numbers, kHasJumps, kDerivatives> a(shared);
    Lanes<Numbers, kHasJumps, kDerivatives> b(shared);
    fill(a);
    fill(b);
    while (a.live() > kWidth / 2 && b.live() > kWidth / 2) {
      a.step();
      b.step();
    }
    while (a.live() > kWidth / 2) a.step();
    while (b.live() > kWidth / 2) b.step();
    a.leave(pool);
    b.leave(pool);
  }
  Lanes<Numbers, kHasJumps, kDerivatives> a(shared);
  Lanes<Numbers, kHasJumps, kDerivatives> b(shared);
  const auto refill = [&](Lanes<Numbers, kHasJumps, kDerivatives>& lanes) {
    while (lanes.has_room() && !pool.empty()) {
      lanes.add(pool.back());
      pool.pop_back();
    }
  };
  while (true) {
    refill(a);
    refill(b);
    if (a.live() + b.live() == 0) break;
    const std::size_t before_a = a.live();
    const std::size_t before_b = b.live();
    while (a.live() == before_a && b.live() == before_b) {
      if (before_a > 0) a.step();
      if (before_b > 0) b.step();
    }
  }
}

template <class Numbers>
void advance_all(const typename Numbers::Tier& tier, std::vector<typename Numbers::Pixel>& pixels,
                 std::vector<std::uint32_t>& states) {
  const bool derivatives = tier.limits.want_distance != 0 || tier.limits.want_interior != 0;
  const auto with_jumps =
      derivatives ? advance_with<Numbers, true, true> : advance_with<Numbers, true, false>;
  const auto without =
      derivatives ? advance_with<Numbers, false, true> : advance_with<Numbers, false, false>;
  const auto advance = tier.limits.jumps != 0 ? with_jumps : without;
  advance(tier, pixels, states);
}

}  // namespace deep_lanes
}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HWY_MAX_BYTES

#endif
