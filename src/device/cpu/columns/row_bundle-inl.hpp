// A bundle is one vector of rows of a matrix. Functions that add its results to the outputs.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_ROW_BUNDLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_ROW_BUNDLE_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_ROW_BUNDLE_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_ROW_BUNDLE_INL
#endif

#include <algorithm>
#include <bit>
#include <cmath>

#include "device/cpu/columns/column_units-inl.hpp"
#include "device/cpu/columns/row_windows-inl.hpp"
#include "device/cpu/simd/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// A vector of rows, or the last rows, and their outputs.
template <class T>
struct RowBundle {
  Matrix<T> rows;
  WindowedColumns& to;
  ColumnBlock& block;
  std::int64_t first_of_block;
  std::size_t column;  ///< output of the first row, relative to the block

  std::size_t count() const { return static_cast<std::size_t>(rows.rows); }
  std::size_t terms() const { return static_cast<std::size_t>(rows.columns); }
  const T* row(std::size_t r) const { return rows.x + static_cast<std::int64_t>(r) * rows.stride; }
};

/// Lane r: the sum of all lanes of vector r.
HWY_INLINE void add_lanes(hn::Vec<hn::RebindToSigned<Reals>>& sums, const std::int64_t* vectors) {
  const hn::RebindToSigned<Reals> d;
  Real turned[kLanes];
  each<kLanes>([&](auto r) TESSERA_INLINE_LAMBDA {
    turned[r] = hn::BitCast(Reals(), hn::Load(d, vectors + r * kLanes));
  });
  transpose(turned);
  sums = hn::Zero(d);
  each<kLanes>([&](auto r)
                   TESSERA_INLINE_LAMBDA { sums = hn::Add(sums, hn::BitCast(d, turned[r])); });
}

/// Marks the outputs of rows that have a term other than -0.0. `some`: rows for which this is known
/// from their sum.
template <class T>
HWY_INLINE void mark_other_rows(const RowBundle<T>& bundle, Mask some) {
  std::uint64_t* const other = &bundle.block.other[bundle.column];
  if (HWY_LIKELY(hn::AllTrue(Reals(), some)) && bundle.count() == kLanes) {
    hn::StoreU(hn::Set(Bits(), 1), Bits(), other);
    return;
  }
  HWY_ALIGN std::uint64_t known[kLanes];
  hn::Store(hn::BitCast(Bits(), hn::IfThenElseZero(some, hn::Set(Reals(), 1.0))), Bits(), known);
  for (std::size_t r = 0; r < bundle.count(); ++r) {
    if (known[r] != 0) other[r] = 1;
    const T* const x = bundle.row(r);
    for (std::size_t i = 0; i < bundle.terms() && other[r] == 0; ++i) {
      if (x[i] == x[i] && (x[i] != 0 || !std::signbit(x[i]))) other[r] = 1;
    }
  }
}

/// Adds the units of kWindows windows to the outputs. Row r receives the sum over all lanes of its
/// vector.
template <std::size_t kWindows, class T>
HWY_INLINE void fold_units(const RowBundle<T>& bundle, const std::int64_t* units, bool mark) {
  const hn::RebindToSigned<Reals> d;
  using Units = hn::Vec<decltype(d)>;
  ColumnBlock& block = bundle.block;
  const std::size_t usual = block.usual;
  // The usual window may contain terms larger than expected.
  const auto start = hn::BitCast(d, start_of(block.exponents[usual]));
  const auto held =
      hn::Sub(hn::BitCast(d, hn::LoadU(Reals(), block.window(usual) + bundle.column)), start);
  if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Gt(hn::Abs(held), hn::Set(d, std::int64_t{1} << 50))))) {
    const int terms = block.terms;  // includes the current term
    block.carry();
    block.terms = terms;
  }
  Units up = hn::Zero(d);
  auto any = hn::Zero(d);
  each<kWindows>([&](auto i) TESSERA_INLINE_LAMBDA {
    constexpr std::size_t kNow = kWindows - 1 - i;
    Units sum;
    add_lanes(sum, units + kNow * kLanes * kLanes);
    any = hn::Or(any, sum);
    sum = hn::Add(sum, up);
    up = hn::ShiftRight<ColumnBlock::kStepBits>(
        hn::Add(sum, hn::Set(d, std::int64_t{1} << (ColumnBlock::kStepBits - 1))));
    sum = hn::Sub(sum, hn::ShiftLeft<ColumnBlock::kStepBits>(up));
    double* const window = block.window(usual + kNow) + bundle.column;
    const auto before = hn::BitCast(d, hn::LoadU(Reals(), window));
    hn::StoreU(hn::BitCast(Reals(), hn::Add(before, sum)), Reals(), window);
  });
  if (usual > 0) {
    double* const window = block.window(usual - 1) + bundle.column;
    const auto before = hn::BitCast(d, hn::LoadU(Reals(), window));
    hn::StoreU(hn::BitCast(Reals(), hn::Add(before, up)), Reals(), window);
  } else {
    std::int64_t* const bank = &block.bank[bundle.column];
    hn::StoreU(hn::Add(hn::LoadU(d, bank), up), d, bank);
  }
  if (mark) {
    const auto none = hn::Eq(any, hn::Zero(d));
    mark_other_rows(bundle,
                    hn::MaskFromVec(hn::BitCast(Reals(), hn::VecFromMask(d, hn::Not(none)))));
  }
}

/// Adds the terms that the windows of a row did not take.
template <class Source>
HWY_NOINLINE void add_spill(const RowBundle<typename Source::Element>& bundle, std::size_t row,
                            const RowResiduals& residuals) {
  const std::size_t column = bundle.column + row;
  for (std::size_t i = 0; i < residuals.terms; ++i)
    bundle.block.add_term(column, residuals.term[i]);
  for (std::size_t i = 0; i < residuals.outliers; ++i) {
    add_outlier<Source>(bundle.to, bundle.block, bundle.first_of_block, column,
                        residuals.outlier[i]);
  }
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
