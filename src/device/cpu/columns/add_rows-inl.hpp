// Adds the rows of a matrix to outputs: one bundle of rows at a time, each by the fastest method
// that has recently succeeded.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_ADD_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_ADD_ROWS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_ADD_ROWS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_ADD_ROWS_INL
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "device/cpu/columns/plain_rows-inl.hpp"
#include "device/cpu/columns/transposed_rows-inl.hpp"
#include "device/cpu/simd/plain_arithmetic.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

template <class Source>
class RowSummer {
 public:
  using T = typename Source::Element;
  RowSummer(WindowedColumns& to, std::vector<RefusedRow<T>>& refused)
      : to_(to), refused_(refused) {}

  void add(const RowBundle<T>& bundle) {
    ColumnBlock& block = bundle.block;
    if (block.windows() == 0 && !start(bundle)) return;
    RowPace& pace = to_.row_pace();
    if (pace.rows_to_review <= 0) pace.method = kFirst;
    if (pace.method == RowMethod::plain) {
      take_room(bundle, 1);
      if (add_plain_rows<Source, false>(bundle, 0, bundle_residuals_)) return;
      change_to(RowMethod::plain_masked);
    }
    pace.rows_to_review -= static_cast<int>(bundle.count());
    if (pace.method == RowMethod::plain_masked) {
      if (add_without_outliers(bundle)) return;
      change_to(RowMethod::windows);
    }
    if (pace.method == RowMethod::transposed || !has_windows<kMostWindows>(block))
      return add_transposed(bundle);
    for (std::size_t i = 0; i < bundle.terms(); i += kStretch) {
      RowBundle<T> stretch = bundle;
      stretch.rows.x += i;
      stretch.rows.columns = static_cast<std::int64_t>(std::min(kStretch, bundle.terms() - i));
      add_stretch(stretch);
    }
  }

 private:
  static constexpr RowMethod kFirst =
      sizeof(T) == 4 && Source::kKind != Terms::squares ? RowMethod::plain : RowMethod::windows;
  static constexpr std::size_t kWindows = Source::kHasError ? 3 : 2;
  static constexpr std::size_t kMostWindows = 3;
  static constexpr std::size_t kChains = Source::kHasError ? kWide : 2 * kWide;
  /// Windows that begin empty have room for twice as many terms.
  static constexpr std::size_t kStretch =
      ColumnBlock::kMostTerms / (Source::kHasError ? 2 : 1) * kChains * kLanes;
  static constexpr std::size_t kShort = 4 * kChains * kLanes;
  static constexpr int kRowsToReview = 512;

  void change_to(RowMethod method) {
    to_.row_pace().method = method;
    to_.row_pace().rows_to_review = kRowsToReview;
  }

  /// Starts the windows. False if nothing remains to be added.
  bool start(const RowBundle<T>& bundle) {
    bool finite = true;
    const double size = usual_size(bundle.rows, finite);
    if (size == 0 && finite) {
      if (Source::kKind == Terms::values) {
        mark_other_rows(bundle, hn::MaskFromVec(hn::Zero(Reals())));
      }
      return false;
    }
    const auto top = top_of<Source>(size);
    if (!top) {
      add_transposed(bundle);
      return false;
    }
    bundle.block.start(*top + 2 + growth(bundle), Source::kUsualWindows);
    return true;
  }

  /// Plain additions of the elements that fit into the windows; the others are added individually.
  bool add_without_outliers(const RowBundle<T>& bundle) {
    ColumnBlock& block = bundle.block;
    take_room(bundle, 1);
    const int top = block.exponents[block.usual] - ColumnBlock::kRoomBits - growth(bundle);
    if (!add_plain_rows<Source, true>(bundle, top, bundle_residuals_)) return false;
    const RowResiduals& outliers = bundle_residuals_.outliers;
    for (std::size_t r = 0, i = 0; r < bundle.count(); ++r) {
      for (; i < bundle_residuals_.end[r]; ++i) {
        add_outlier<Source>(to_, block, bundle.first_of_block, bundle.column + r,
                            outliers.outlier[i]);
      }
    }
    return true;
  }

  /// Number of bits by which plain sums may exceed their terms.
  static int growth(const RowBundle<T>& bundle) {
    return kFirst == RowMethod::plain
               ? std::min(static_cast<int>(std::bit_width(bundle.terms())), 16)
               : 0;
  }

  /// Reserves room for `terms` more terms per output.
  void take_room(const RowBundle<T>& bundle, int terms) {
    ColumnBlock& block = bundle.block;
    if (block.terms + terms > ColumnBlock::kMostTerms) block.carry();
    block.terms += terms;
  }

  void add_stretch(const RowBundle<T>& bundle) {
    take_room(bundle, 1);
    HWY_ALIGN std::int64_t units[kMostWindows * kLanes * kLanes];
    bool all_windows = kWindows == kMostWindows;
    const bool mark = Source::kKind == Terms::values;
    if (to_.row_pace().method == RowMethod::windows && bundle.terms() < kShort &&
        bundle.count() == kLanes && sum_short(bundle, units)) {
      return fold_units<kWindows>(bundle, units, mark);
    }
    std::fill(std::begin(units), std::end(units), 0);
    std::size_t refused[kLanes];
    std::size_t refusals = 0;
    for (std::size_t r = 0; r < bundle.count(); ++r) {
      if (!add_row(bundle, r, units + r * kLanes, all_windows)) refused[refusals++] = r;
    }
    if (all_windows) {
      fold_units<kMostWindows>(bundle, units, mark);
    } else {
      fold_units<kWindows>(bundle, units, mark);
    }
    for (std::size_t i = 0; i < refusals; ++i) {
      RowBundle<T> one = bundle;
      one.rows.x = bundle.row(refused[i]);
      one.rows.rows = 1;
      one.column += refused[i];
      look_for_larger(one);
      add_transposed(one);
    }
  }

  /// Adds one row of a stretch by the current method, or by the first later method that succeeds.
  bool add_row(const RowBundle<T>& bundle, std::size_t r, std::int64_t* units, bool& all_windows) {
    const int highest = bundle.block.exponents[bundle.block.usual];
    const T* const x = bundle.row(r);
    RowMethod method = std::max(to_.row_pace().method, RowMethod::windows);
    const auto done = [&] {
      if (method == RowMethod::windows) {
        if (sum_row<kWindows, false>(x, bundle.terms(), highest, units)) return true;
        method = RowMethod::masked;
      }
      if (method == RowMethod::masked) {
        if (sum_row<kWindows, true>(x, bundle.terms(), highest, units)) return true;
        method = RowMethod::more_windows;
      }
      if (method == RowMethod::more_windows && kWindows < kMostWindows) {
        all_windows = true;
        if (sum_row<kMostWindows, true>(x, bundle.terms(), highest, units)) return true;
      }
      method = RowMethod::transposed;
      return false;
    }();
    if (method > to_.row_pace().method) change_to(method);
    if (done && residuals_.terms + residuals_.outliers > 0)
      add_spill<Source>(bundle, r, residuals_);
    return done;
  }

  template <std::size_t kWindowCount, bool kMasked>
  HWY_NOINLINE bool sum_row(const T* x, std::size_t count, int highest, std::int64_t* units) {
    constexpr std::size_t kStep = kLanes * kLanes;
    residuals_.begin(count);
    if (count >= kShort) {
      RowWindows<Source, kWindowCount, kChains, kMasked> windows(highest);
      const bool done = windows.take(x, count, residuals_);
      if (done) windows.store_units(kStep, units);
      return done;
    }
    RowWindows<Source, kWindowCount, 1, kMasked> windows(highest);
    const bool done = windows.take(x, count, residuals_);
    if (done) windows.store_units(kStep, units);
    return done;
  }

  /// Adds a whole bundle of short rows. False if the windows leave something of a term.
  HWY_NOINLINE bool sum_short(const RowBundle<T>& bundle, std::int64_t* units) {
    const int highest = bundle.block.exponents[bundle.block.usual];
    BitsOfReal wrong = hn::Zero(Bits());
    for (std::size_t r = 0; r < kLanes; ++r) {
      RowWindows<Source, kWindows, 1, false> windows(highest);
      wrong = hn::Or(wrong, windows.take_whole(bundle.row(r), bundle.terms()));
      windows.store_units(kLanes * kLanes, units + r * kLanes);
    }
    return hn::AllTrue(Bits(), hn::Eq(wrong, hn::Zero(Bits())));
  }

  /// If rows often exceed the usual window, makes a higher window the usual one.
  void look_for_larger(const RowBundle<T>& row) {
    bool finite = true;
    const auto top = top_of<Source>(usual_size(row.rows, finite));
    ColumnBlock& block = row.block;
    if (!top || *top <= block.exponents[block.usual] - ColumnBlock::kRoomBits) return;
    constexpr int kOften = 64;
    if (++to_.row_pace().too_large < kOften) return;
    to_.row_pace() = {};
    block.raise(*top);
  }

  /// Long rows are returned to the caller.
  void add_transposed(const RowBundle<T>& bundle) {
    constexpr std::size_t kLong = 2048;
    constexpr std::size_t kWorthIt = 64;
    if (bundle.terms() < (bundle.count() < kLanes ? kWorthIt : kLong)) {
      return add_rows_transposed<Source>(bundle.to, bundle.block, bundle.first_of_block,
                                         bundle.rows, bundle.column);
    }
    for (std::size_t r = 0; r < bundle.count(); ++r) {
      const std::size_t output = bundle.column + r;
      refused_.push_back({bundle.row(r), bundle.rows.columns,
                          bundle.first_of_block + static_cast<std::int64_t>(output)});
    }
  }

  WindowedColumns& to_;
  std::vector<RefusedRow<T>>& refused_;
  RowResiduals residuals_;
  BundleResiduals bundle_residuals_;
};

template <class T, Terms kTerms>
void add_rows(const Matrix<T>& m, WindowedColumns& to, std::int64_t first,
              std::vector<RefusedRow<T>>& refused) {
  using Source = TermsOf<T, kTerms>;
  const PlainArithmetic arithmetic;
  constexpr auto kRows = static_cast<std::int64_t>(kLanes);
  RowSummer<Source> summer(to, refused);
  for_each_block(to, first, m.rows,
                 [&](ColumnBlock& block, std::int64_t first_of_block, std::int64_t output,
                     std::int64_t count) {
                   for (std::int64_t r = 0; r < count; r += kRows) {
                     const T* const x = m.x + (output - first + r) * m.stride;
                     summer.add({{x, std::min(kRows, count - r), m.columns, m.stride},
                                 to,
                                 block,
                                 first_of_block,
                                 static_cast<std::size_t>(output + r - first_of_block)});
                   }
                 });
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
