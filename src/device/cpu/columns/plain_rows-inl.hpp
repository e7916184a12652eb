// Sums rows of f32 in f64 without windows. The sums are exact if the processor's inexact flag is
// clear.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_PLAIN_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_PLAIN_ROWS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_PLAIN_ROWS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_PLAIN_ROWS_INL
#endif

#include "device/cpu/columns/row_bundle-inl.hpp"
#include "device/cpu/simd/inexact_flag.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Deferred elements of a bundle of rows: outlier i belongs to the first row with i < end.
struct BundleResiduals {
  RowResiduals outliers;
  std::size_t end[kLanes];
};

/// Returns the elements below the limit and puts the others into `residuals`.
HWY_INLINE Real defer_outliers(Real element, Real limit, RowResiduals& residuals) {
  const Mask below = hn::Lt(hn::Abs(element), limit);
  residuals.push_outliers(element, hn::Not(below));
  return hn::IfThenElseZero(below, element);
}

/// Sums the terms of a row, one sum per lane. kMasked: only those below the bound, if these are
/// nearly all.
template <class Source, bool kMasked>
HWY_INLINE Real add_plainly(const typename Source::Element* x, std::size_t count,
                            typename Source::Element bound, RowResiduals& residuals) {
  constexpr std::size_t kChains = 4;
  constexpr std::size_t kStep = kChains * kLanes;
  Real sum[kChains];
  each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA { sum[c] = hn::Zero(Reals()); });
  const Real limit = hn::Set(Reals(), bound);
  std::size_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    if (kMasked && HWY_UNLIKELY(!are_below<kChains>(x + i, bound))) {
      each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
        const Real some = defer_outliers(load_reals(x + i + c * kLanes), limit, residuals);
        sum[c] = hn::Add(sum[c], Source::of(some));
      });
      if (residuals.is_full()) break;
      continue;
    }
    each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
      const auto* const at = x + i + c * kLanes;
      if constexpr (c % 2 == 0) __builtin_prefetch(at + kPrefetchBytes / sizeof(*x));
      sum[c] = hn::Add(sum[c], Source::of(load_reals(at)));
    });
  }
  for (; i < count && !residuals.is_full(); i += kLanes) {
    Real some = i + kLanes <= count ? load_reals(x + i) : load_first(x + i, count - i);
    if constexpr (kMasked) some = defer_outliers(some, limit, residuals);
    sum[0] = hn::Add(sum[0], Source::of(some));
  }
  return hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
}

/// Adds a bundle of rows; the windows must have room for one term. False, with nothing done, if a
/// sum was rounded or is not finite. kMasked: elements that are not below 2^top are put into
/// `residuals`; false, too, if there are many.
template <class Source, bool kMasked>
HWY_NOINLINE bool add_plain_rows(const RowBundle<typename Source::Element>& bundle, int top,
                                 BundleResiduals& residuals) {
  if (!RoundingFlag::works()) return false;
  const auto bound = bound_of<typename Source::Element>(top);
  residuals.outliers.begin(bundle.count() * bundle.terms());
  HWY_ALIGN double lanes[kLanes * kLanes] = {};
  HWY_ALIGN double sums[kLanes];
  settle_memory(lanes);
  RoundingFlag::lower();
  settle_memory(lanes);
  for (std::size_t r = 0; r < bundle.count(); ++r) {
    const Real sum =
        add_plainly<Source, kMasked>(bundle.row(r), bundle.terms(), bound, residuals.outliers);
    hn::Store(sum, Reals(), lanes + r * kLanes);
    residuals.end[r] = residuals.outliers.outliers;
    if (residuals.outliers.is_full()) return false;  // no room for the outliers of another row
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
