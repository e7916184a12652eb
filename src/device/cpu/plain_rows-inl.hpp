// Rows of f32 added up as f64 without windows: where the processor says that it never rounded, the
// sums are exact.
#if defined(TESSERA_DEVICE_CPU_PLAIN_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PLAIN_ROWS_INL
#undef TESSERA_DEVICE_CPU_PLAIN_ROWS_INL
#else
#define TESSERA_DEVICE_CPU_PLAIN_ROWS_INL
#endif

#include "device/cpu/rounding_flag.hpp"
#include "device/cpu/row_bundle-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// All terms of a row, of which those of all lanes are to be added up.
template <class Source>
HWY_INLINE Real add_plainly(const typename Source::Element* x, std::size_t count) {
  constexpr std::size_t kChains = 4;
  constexpr std::size_t kStep = kChains * kLanes;
  Real sum[kChains];
  each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA { sum[c] = hn::Zero(Reals()); });
  std::size_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
      const auto* const at = x + i + c * kLanes;
      if constexpr (c % 2 == 0) __builtin_prefetch(at + kPrefetchBytes / sizeof(*x));
      sum[c] = hn::Add(sum[c], Source::of(load_reals(at)));
    });
  }
  for (; i + kLanes <= count; i += kLanes) {
    sum[0] = hn::Add(sum[0], Source::of(load_reals(x + i)));
  }
  if (i < count) sum[1] = hn::Add(sum[1], Source::of(load_first(x + i, count - i)));
  return hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
}

/// False, with nothing done, if a sum is not an f64 or not finite. Needs room for a term.
template <class Source>
HWY_NOINLINE bool add_plain_rows(const RowBundle<typename Source::Element>& bundle) {
  if (!RoundingFlag::works()) return false;
  HWY_ALIGN double lanes[kLanes * kLanes] = {};
  HWY_ALIGN double sums[kLanes];
  settle_memory(lanes);
  RoundingFlag::lower();
  settle_memory(lanes);
  for (std::size_t r = 0; r < bundle.count(); ++r) {
    hn::Store(add_plainly<Source>(bundle.row(r), bundle.terms()), Reals(), lanes + r * kLanes);
  }
  Real turned[kLanes];
  each<kLanes>([&](auto r)
                   TESSERA_INLINE_LAMBDA { turned[r] = hn::Load(Reals(), lanes + r * kLanes); });
  transpose(turned);
  Real sum = hn::Zero(Reals());
  each<kLanes>([&](auto r) TESSERA_INLINE_LAMBDA { sum = hn::Add(sum, turned[r]); });
  hn::Store(sum, Reals(), sums);
  settle_memory(sums);
  if (HWY_UNLIKELY(RoundingFlag::is_raised())) return false;
  if (!hn::AllTrue(Reals(), hn::Eq(hn::Sub(sum, sum), hn::Zero(Reals())))) return false;
  if (Source::kKind == Terms::values) {
    mark_other_rows(bundle, hn::Ne(sum, hn::Zero(Reals())));
  }
  ColumnBlock& block = bundle.block;
  const auto load = [sum](Real(&unit)[1][1]) TESSERA_INLINE_LAMBDA { unit[0][0] = sum; };
  using Values = TermsOf<double, Terms::values>;
  if (add_unit<Values, 1, 1>(block, block.usual, bundle.column, load)) return true;
  for (std::size_t r = 0; r < bundle.count(); ++r) {
    block.add_term(bundle.column + r, sums[r]);
  }
  return true;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
