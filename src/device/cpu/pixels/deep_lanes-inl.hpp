// The loop of kernels/deep/advance.h over whole vectors of pixels. A lane does the same operations
// as the scalar loop, and leaves its vector for the scalar loop before the step in which anything
// ends.
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
#include <vector>

#include "deep/deep_pixel.hpp"

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

HWY_INLINE Columns broadcast_columns(const double* row) {
  return {real(row[0]), real(row[1]), real(row[2]), real(row[3])};
}

/// What all lanes share.
struct Shared {
  const deep::DeepImage& image;
  kernels::TsJumpEntry plain;  ///< a step without a jump: a = 1, q = 0, b = the unit of c
  std::vector<kernels::TsDeepPixel>& pixels;
  std::vector<std::uint32_t>& states;
};

class Lanes {
 public:
  explicit Lanes(const Shared& shared) : shared_(shared), limits_(shared.image.limits) {}

  std::size_t live() const { return live_count_; }
  bool has_room() const { return live_count_ < kWidth; }

  /// Puts a pixel into a free lane.
  HWY_INLINE void add(std::uint32_t index) {
    std::size_t lane = 0;
    while (index_[lane] != kFree) ++lane;
    const kernels::TsDeepPixel& p = shared_.pixels[index];
    if (p.count != limits_.limit) {
      finish(index);
      return;
    }
    index_[lane] = index;
    ++live_count_;
    spill();
    at_.x[lane] = p.x;
    at_.y[lane] = p.y;
    at_.error[lane] = p.error;
    at_.c_re[lane] = p.c_re;
    at_.c_im[lane] = p.c_im;
    at_.saved_x[lane] = p.saved_x;
    at_.saved_y[lane] = p.saved_y;
    at_.m[lane] = static_cast<std::int64_t>(p.m);
    at_.n[lane] = p.n;
    at_.rebases[lane] = p.rebases;
    at_.saved_next[lane] = p.saved_next;
    at_.steps[lane] = p.steps;
    reload();
  }

  /// Stores all pixels that are not done, and frees their lanes.
  void leave(std::vector<std::uint32_t>& pool) {
    spill();
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      if (index_[lane] == kFree) continue;
      store(lane);
      pool.push_back(index_[lane]);
      free_lane(lane);
    }
  }

  HWY_INLINE void step() {
    const Real two = real(2.0);
    const Real w_re = hn::MulAdd(two, z_re_, x_);
    const Real w_im = hn::MulAdd(two, z_im_, y_);
    const Real t_re = hn::MulSub(x_, w_re, hn::Mul(y_, w_im));
    const Real t_im = hn::MulAdd(x_, w_im, hn::Mul(y_, w_re));
    const Real t2 = hn::MulAdd(t_re, t_re, hn::Mul(t_im, t_im));
    const Real v_re = hn::Add(w_re, x_);
    const Real v_im = hn::Add(w_im, y_);
    Real growth2 = hn::MulAdd(v_re, v_re, hn::Mul(v_im, v_im));
    Real bc_re = plain_re_;
    Real bc_im = plain_im_;
    Whole length = hn::Set(DI(), 1);
    Real x = hn::Add(t_re, bc_re);
    Real y = hn::Add(t_im, bc_im);
    const Mask jumps = hn::And(hn::Lt(t2, radius2_), live_);
    if (!hn::AllFalse(D(), jumps)) {
      const double* entries[8];
      const bool one = find(jumps, t2, entries);
      const Columns e = one ? broadcast_columns(entries[0]) : load_columns(entries);
      for (std::size_t lane = 0; lane < kWidth; ++lane) entries[lane] += 4;
      const Columns rest = one ? broadcast_columns(entries[0]) : load_columns(entries);
      const Real a_re = e.b, a_im = e.c, q_re = e.d, q_im = rest.a, b_re = rest.b, b_im = rest.c;
      length = hn::BitCast(DI(), rest.d);
      const Real f_re = hn::MulAdd(q_re, t_re, hn::NegMulAdd(q_im, t_im, a_re));
      const Real f_im = hn::MulAdd(q_re, t_im, hn::MulAdd(q_im, t_re, a_im));
      const Real g_re = hn::MulAdd(q_re, t_re, hn::NegMulAdd(q_im, t_im, f_re));
      const Real g_im = hn::MulAdd(q_re, t_im, hn::MulAdd(q_im, t_re, f_im));
      growth2 = hn::Mul(growth2, hn::MulAdd(g_re, g_re, hn::Mul(g_im, g_im)));
      bc_re = hn::MulSub(b_re, c_re_, hn::Mul(b_im, c_im_));
      bc_im = hn::MulAdd(b_re, c_im_, hn::Mul(b_im, c_re_));
      x = hn::MulAdd(t_re, f_re, hn::NegMulAdd(t_im, f_im, bc_re));
      y = hn::MulAdd(t_re, f_im, hn::MulAdd(t_im, f_re, bc_im));
    }
    Whole m = hn::Add(m_, length);
    const Whole n = hn::Add(n_, length);
    const Real sizes =
        hn::Add(hn::Add(hn::Abs(x), hn::Abs(y)), hn::Add(hn::Abs(bc_re), hn::Abs(bc_im)));
    const Real error =
        hn::MulAdd(hn::Sqrt(growth2), error_, hn::Mul(real(TS_DEEP_ROUNDING), sizes));

    const Columns node = nodes_at(m);
    const Real z_re = hn::Add(node.a, x);
    const Real z_im = hn::Add(node.b, y);
    const Real r2 = hn::MulAdd(z_re, z_re, hn::Mul(z_im, z_im));
    const Real bailout2 = real(limits_.bailout2);
    const Real size = hn::Add(hn::Abs(z_re), hn::Abs(z_im));
    const Real safe = hn::Mul(real(TS_DEEP_SAFETY), error);
    const Real most = hn::Mul(real(TS_DEEP_LARGEST_ERROR), hn::Add(real(1.0), size));
    const Real off = hn::Abs(hn::Sub(r2, bailout2));
    Mask ends = hn::Or(hn::Gt(safe, most),
                       hn::Le(off, hn::Mul(safe, hn::Add(size, real(limits_.bailout)))));
    ends = hn::Or(ends, hn::Not(hn::Le(
                            r2, real(limits_.want_smooth != 0 ? smooth_test_ : limits_.bailout2))));
    ends = hn::Or(ends,
                  hn::RebindMask(
                      D(), hn::Gt(n, hn::Set(DI(), static_cast<std::int64_t>(limits_.limit) - 1))));

    const Mask rebase = hn::Or(
        hn::Lt(r2, hn::MulAdd(x, x, hn::Mul(y, y))),
        hn::RebindMask(D(), hn::Gt(m, hn::Set(DI(), static_cast<std::int64_t>(limits_.last) - 1))));
    Real new_z_re = node.a, new_z_im = node.b, radius2 = node.c, place = node.d;
    if (!hn::AllFalse(D(), rebase)) {
      x = hn::IfThenElse(rebase, z_re, x);
      y = hn::IfThenElse(rebase, z_im, y);
      m = hn::IfThenZeroElse(hn::RebindMask(DI(), rebase), m);
      const Columns first = broadcast_columns(row_of(0));
      new_z_re = hn::IfThenElse(rebase, first.a, new_z_re);
      new_z_im = hn::IfThenElse(rebase, first.b, new_z_im);
      radius2 = hn::IfThenElse(rebase, first.c, radius2);
      place = hn::IfThenElse(rebase, first.d, place);
      ends = hn::Or(ends, hn::And(rebase, hn::And(hn::Eq(x, saved_x_), hn::Eq(y, saved_y_))));
    }
    const Real small = real(TS_DEEP_SMALL_Z);
    ends = hn::Or(ends, hn::And(hn::Lt(hn::Abs(x), small), hn::Lt(hn::Abs(y), small)));
    ends = hn::And(ends, live_);
    if (HWY_UNLIKELY(!hn::AllFalse(D(), ends))) end_lanes(ends);

    if (!hn::AllFalse(D(), rebase)) {
      const auto rebased = hn::RebindMask(DI(), rebase);
      rebases_ = hn::IfThenElse(rebased, hn::Add(rebases_, hn::Set(DI(), 1)), rebases_);
      const auto due = hn::And(rebased, hn::Not(hn::Lt(rebases_, saved_next_)));
      saved_x_ = hn::IfThenElse(hn::RebindMask(D(), due), x, saved_x_);
      saved_y_ = hn::IfThenElse(hn::RebindMask(D(), due), y, saved_y_);
      saved_next_ = hn::IfThenElse(due, hn::Add(rebases_, rebases_), saved_next_);
    }
    x_ = hn::IfThenElseZero(live_, x);
    y_ = hn::IfThenElseZero(live_, y);
    error_ = hn::IfThenElseZero(live_, error);
    m_ = hn::IfThenElseZero(hn::RebindMask(DI(), live_), m);
    n_ = n;
    steps_ = hn::Add(steps_, hn::Set(DI(), 1));
    z_re_ = new_z_re;
    z_im_ = new_z_im;
    radius2_ = radius2;
    place_ = place;
  }

 private:
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;

  const double* row_of(std::int64_t m) const {
    return &shared_.image.table.nodes[static_cast<std::size_t>(m)].re;
  }

  HWY_INLINE Columns nodes_at(Whole m) const {
    HWY_ALIGN std::int64_t at[kWidth];
    hn::Store(m, DI(), at);
    if (hn::AllTrue(DI(), hn::Eq(m, hn::Set(DI(), at[0])))) return broadcast_columns(row_of(at[0]));
    const double* rows[8];
    for (std::size_t lane = 0; lane < kWidth; ++lane) rows[lane] = row_of(at[lane]);
    return load_columns(rows);
  }

  /// Finds the entry of each lane; true if all have the same.
  HWY_INLINE bool find(Mask jumps, Real t2, const double** found) const {
    HWY_ALIGN double sizes[kWidth];
    HWY_ALIGN std::uint64_t places[kWidth];
    hn::Store(t2, D(), sizes);
    hn::Store(hn::BitCast(hn::RebindToUnsigned<D>(), place_), hn::RebindToUnsigned<D>(), places);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(D(), jumps, bits);
    bool one = true;
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      const kernels::TsJumpEntry* entry = &shared_.plain;
      if ((bits[0] >> lane & 1) != 0) {
        const auto first = static_cast<std::uint32_t>(places[lane]);
        entry = &shared_.image.table
                     .entries[first + static_cast<std::uint32_t>(places[lane] >> 32) - 1];
        while (!(sizes[lane] < entry->radius2)) --entry;
      }
      found[lane] = &entry->radius2;
      one = one && found[lane] == found[0];
    }
    return one;
  }

  HWY_NOINLINE void end_lanes(Mask ends) {
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(D(), ends, bits);
    spill();
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      if ((bits[0] >> lane & 1) == 0) continue;
      store(lane);
      finish(index_[lane]);
      free_lane(lane);
    }
  }

  void finish(std::uint32_t index) {
    shared_.states[index] = deep::advance_pixel(shared_.image, shared_.pixels[index]);
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

  struct Spilled {
    HWY_ALIGN double x[kWidth], y[kWidth], error[kWidth], c_re[kWidth], c_im[kWidth],
        saved_x[kWidth], saved_y[kWidth];
    HWY_ALIGN std::int64_t m[kWidth], n[kWidth], rebases[kWidth], saved_next[kWidth], steps[kWidth];
  };

  void store(std::size_t lane) {
    kernels::TsDeepPixel& p = shared_.pixels[index_[lane]];
    p.x = at_.x[lane];
    p.y = at_.y[lane];
    p.error = at_.error[lane];
    p.saved_x = at_.saved_x[lane];
    p.saved_y = at_.saved_y[lane];
    p.m = static_cast<std::uint64_t>(at_.m[lane]);
    p.n = static_cast<std::uint32_t>(at_.n[lane]);
    p.rebases = static_cast<std::uint32_t>(at_.rebases[lane]);
    p.saved_next = static_cast<std::uint32_t>(at_.saved_next[lane]);
    p.steps = static_cast<std::uint32_t>(at_.steps[lane]);
  }

  void spill() {
    hn::Store(x_, D(), at_.x);
    hn::Store(y_, D(), at_.y);
    hn::Store(error_, D(), at_.error);
    hn::Store(c_re_, D(), at_.c_re);
    hn::Store(c_im_, D(), at_.c_im);
    hn::Store(saved_x_, D(), at_.saved_x);
    hn::Store(saved_y_, D(), at_.saved_y);
    hn::Store(m_, DI(), at_.m);
    hn::Store(n_, DI(), at_.n);
    hn::Store(rebases_, DI(), at_.rebases);
    hn::Store(saved_next_, DI(), at_.saved_next);
    hn::Store(steps_, DI(), at_.steps);
  }

  void reload() {
    x_ = hn::Load(D(), at_.x);
    y_ = hn::Load(D(), at_.y);
    error_ = hn::Load(D(), at_.error);
    c_re_ = hn::Load(D(), at_.c_re);
    c_im_ = hn::Load(D(), at_.c_im);
    const Real unit = real(shared_.plain.b_re);
    plain_re_ = hn::Mul(unit, c_re_);
    plain_im_ = hn::Mul(unit, c_im_);
    saved_x_ = hn::Load(D(), at_.saved_x);
    saved_y_ = hn::Load(D(), at_.saved_y);
    m_ = hn::Load(DI(), at_.m);
    n_ = hn::Load(DI(), at_.n);
    rebases_ = hn::Load(DI(), at_.rebases);
    saved_next_ = hn::Load(DI(), at_.saved_next);
    steps_ = hn::Load(DI(), at_.steps);
    const Columns node = nodes_at(m_);
    z_re_ = node.a;
    z_im_ = node.b;
    radius2_ = node.c;
    place_ = node.d;
    set_live();
  }

  const Shared& shared_;
  const kernels::TsDeepLimits& limits_;
  double smooth_test_ = std::min(limits_.bailout2, TS_DEEP_SMOOTH_RADIUS2);
  std::uint32_t index_[8] = {kFree, kFree, kFree, kFree, kFree, kFree, kFree, kFree};
  std::size_t live_count_ = 0;
  Mask live_ = hn::FirstN(D(), 0);
  Real x_ = hn::Zero(D()), y_ = hn::Zero(D()), error_ = hn::Zero(D()), c_re_ = hn::Zero(D()),
       c_im_ = hn::Zero(D()), plain_re_ = hn::Zero(D()), plain_im_ = hn::Zero(D()),
       saved_x_ = hn::Zero(D()), saved_y_ = hn::Zero(D());
  Whole m_ = hn::Zero(DI()), n_ = hn::Zero(DI()), rebases_ = hn::Zero(DI()),
        saved_next_ = hn::Zero(DI()), steps_ = hn::Zero(DI());
  // Of the node at m.
  Real z_re_ = hn::Zero(D()), z_im_ = hn::Zero(D()), radius2_ = hn::Zero(D()),
       place_ = hn::Zero(D());
  Spilled at_{};
};

/// Whole vectors of neighbours first, which often are at the same element of the reference; then
/// those whose neighbours are done, in full vectors again.
inline void advance_all(const deep::DeepImage& image, std::vector<kernels::TsDeepPixel>& pixels,
                        std::vector<std::uint32_t>& states) {
  const kernels::TsJumpEntry plain{.radius2 = std::numeric_limits<double>::infinity(),
                                   .a_re = 1,
                                   .b_re = kernels::power_of_two(image.unit_exponent),
                                   .length = 1};
  const Shared shared{image, plain, pixels, states};
  const auto count = static_cast<std::uint32_t>(pixels.size());
  std::vector<std::uint32_t> pool;
  std::uint32_t next = 0;
  const auto fill = [&](Lanes& lanes) {
    while (lanes.has_room() && next < count) lanes.add(next++);
  };
  while (next < count) {
    Lanes a(shared);
    Lanes b(shared);
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
  Lanes a(shared);
  Lanes b(shared);
  const auto refill = [&](Lanes& lanes) {
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

}  // namespace deep_lanes
}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
