// Adds strips of columns, a few rows at a time, by the fastest method that has recently succeeded.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_COLUMN_STRIPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_COLUMN_STRIPS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_COLUMN_STRIPS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_COLUMN_STRIPS_INL
#endif

#include <algorithm>

#include "device/cpu/columns/column_units-inl.hpp"
#include "device/cpu/columns/row_windows-inl.hpp"
#include "device/cpu/simd/inexact_flag.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Loads kRows rows of kWide vectors of columns.
template <class T, std::size_t kRows>
struct LoadColumns {
  const T* x;
  std::size_t stride;

  HWY_INLINE void operator()(Real (&unit)[kWide][kRows]) const {
    each<kRows>([&](auto i) TESSERA_INLINE_LAMBDA {
      each<kWide>([&](auto v) TESSERA_INLINE_LAMBDA {
        unit[v][i] = load_reals(x + i * stride + v * kLanes);
      });
    });
  }
};

/// Adds kRows rows of `columns` columns, which lie in one block.
template <class Source, std::size_t kRows>
HWY_INLINE void add_rows_of_block(WindowedColumns& to, ColumnBlock& block,
                                  std::int64_t first_of_block, const typename Source::Element* x,
                                  std::size_t stride, std::size_t column, std::size_t columns) {
  using T = typename Source::Element;
  constexpr std::size_t kColumns = kWide * kLanes;
  std::size_t c = 0;
  for (; c + kColumns <= columns; c += kColumns) {
    add_or_sort<Source, kWide, kRows>(to, block, first_of_block, column + c, kColumns,
                                      LoadColumns<T, kRows>{x + c, stride});
  }
  if (c == columns) return;
  HWY_ALIGN T last[kRows * kColumns] = {};
  for (std::size_t i = 0; i < kRows; ++i) {
    std::copy(x + i * stride + c, x + i * stride + columns, last + i * kColumns);
  }
  add_or_sort<Source, kWide, kRows>(to, block, first_of_block, column + c, columns - c,
                                    LoadColumns<T, kRows>{last, kColumns});
}

/// Adds any number of rows.
template <class Source>
void add_units_of_block(WindowedColumns& to, ColumnBlock& block, std::int64_t first_of_block,
                        const typename Source::Element* x, std::size_t stride, std::size_t rows,
                        std::size_t column, std::size_t columns) {
  if (columns == 0) return;
  const auto add = [&](auto tall) TESSERA_INLINE_LAMBDA {
    for (; rows >= tall; rows -= tall, x += tall * stride) {
      add_rows_of_block<Source, tall>(to, block, first_of_block, x, stride, column, columns);
    }
  };
  add(std::integral_constant<std::size_t, kTall>());
  add(std::integral_constant<std::size_t, kFew>());
  add(std::integral_constant<std::size_t, 1>());
}

/// Adds f32 to the usual windows of kVectors vectors of columns without testing the rests: if the
/// processor did not round, there are none. False, with nothing done, if it rounded or a window
/// left its binade. kMasked: elements that are too large for the window are put into `residuals`;
/// false, too, if there are many.
template <class Source, std::size_t kVectors, bool kMasked>
HWY_NOINLINE bool add_plain_strip(ColumnBlock& block, std::size_t column,
                                  const typename Source::Element* x, std::size_t stride,
                                  std::size_t rows, std::size_t ahead, StripResiduals& residuals) {
  using T = typename Source::Element;
  const int limit = block.exponents[block.usual] - ColumnBlock::kRoomBits;
  const T bound = bound_of<T>(limit);
  double* const window = block.window(block.usual) + column;
  HWY_ALIGN double sums[kVectors * kLanes];
  settle_memory(sums);
  // Reading the flag is cheaper than writing it, and it is rarely raised.
  if (RoundingFlag::is_raised()) RoundingFlag::lower();
  settle_memory(sums);
  Real sum[kVectors];
  each<kVectors>([&](auto v)
                     TESSERA_INLINE_LAMBDA { sum[v] = hn::LoadU(Reals(), window + v * kLanes); });
  for (std::size_t r = 0; r < rows; ++r, x += stride) {
    if (kMasked && HWY_UNLIKELY(!are_below<kVectors>(x, bound))) {
      each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
        const Real element = load_reals(x + v * kLanes);
        const Mask below = hn::Lt(hn::Abs(element), hn::Set(Reals(), bound));
        residuals.push_outliers(element, hn::Not(below), v * kLanes);
        sum[v] = hn::Add(sum[v], Source::of(hn::IfThenElseZero(below, element)));
      });
      if (residuals.is_full()) return false;
      continue;
    }
    each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
      const auto* const at = x + v * kLanes;
      if constexpr (v % 2 == 0) __builtin_prefetch(at + ahead, 0, 2);
      sum[v] = hn::Add(sum[v], Source::of(load_reals(at)));
    });
  }
  const auto start = hn::BitCast(Bits(), start_of(block.exponents[block.usual]));
  auto moved = hn::Zero(Bits());
  each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
    moved = hn::Or(moved, hn::Xor(hn::BitCast(Bits(), sum[v]), start));
    hn::Store(sum[v], Reals(), sums + v * kLanes);
  });
  settle_memory(sums);
  const auto binade = hn::Set(Bits(), 0xfff0000000000000);
  const bool stayed = hn::AllTrue(Bits(), hn::Eq(hn::And(moved, binade), hn::Zero(Bits())));
  if (RoundingFlag::is_raised() || !stayed) return false;
  std::copy_n(sums, kVectors * kLanes, window);
  return true;
}

template <class Source>
class ColumnStrips {
 public:
  using T = typename Source::Element;
  ColumnStrips(WindowedColumns& to, ColumnBlock& block, std::int64_t first_of_block,
               std::size_t ahead)
      : to_(to), block_(block), first_of_block_(first_of_block), ahead_(ahead) {}

  /// Adds whole strips of `rows` rows, for which the windows have room. Returns the number of
  /// columns added.
  std::size_t add(const T* x, std::size_t stride, std::size_t rows, std::size_t column,
                  std::size_t columns) {
    if (block_.windows() == 0) return 0;
    std::size_t c = 0;
    for (; c + kStrip <= columns; c += kStrip) add_strip(x + c, stride, rows, column + c);
    return c;
  }

 private:
  static constexpr bool kIsPlain = sizeof(T) == 4 && Source::kKind != Terms::squares;
  static constexpr std::size_t kWindows = Source::kHasError ? 3 : 2;
  static constexpr std::size_t kMostWindows = 3;
  static constexpr std::size_t kVectors = Source::kHasError ? kWide : 2 * kWide;
  static constexpr std::size_t kNarrow = kVectors * kLanes;
  static constexpr std::size_t kStrip = kIsPlain ? 2 * kNarrow : kNarrow;
  static constexpr int kStripsToReview = 512;

  /// Prefetches the cache lines to the right of some rows that are read in full. They are loaded
  /// into the L1 cache; prefetching them into L2 is too late.
  HWY_INLINE void ask_ahead(const T* x, std::size_t stride, std::size_t rows) const {
    if (ahead_ >= stride) return;
    for (std::size_t r = 0; r < rows; ++r) {
      const T* const at = x + r * stride + ahead_;
      for (std::size_t c = 0; c < kStrip; c += 64 / sizeof(T)) __builtin_prefetch(at + c);
    }
  }

  void add_strip(const T* x, std::size_t stride, std::size_t rows, std::size_t column) {
    ask_ahead(x, stride, rows);
    RowPace& pace = to_.column_pace();
    if (pace.rows_to_review-- <= 0) pace.method = RowMethod::plain;
    if constexpr (kIsPlain) {
      if (pace.method <= RowMethod::plain_masked && RoundingFlag::works()) {
        if (pace.method == RowMethod::plain) {
          if (plainly<false>(x, stride, rows, column)) {
            pace.too_large = std::max(pace.too_large - 1, 0);
            return;
          }
          failed(RowMethod::plain_masked);
        }
        if (plainly<true>(x, stride, rows, column)) return;
        failed(RowMethod::windows);
      }
    }
    for (std::size_t c = 0; c < kStrip; c += kNarrow) {
      add_narrow(x + c, stride, rows, column + c);
    }
  }

  /// Changes the method only after many failures: a few among many strips are tolerated.
  void failed(RowMethod better) {
    constexpr int kStripsEach = 16;
    constexpr int kOften = 16 * kStripsEach;
    RowPace& pace = to_.column_pace();
    pace.too_large += kStripsEach;
    if (pace.too_large < kOften) return;
    pace = {.method = better, .rows_to_review = kStripsToReview};
  }

  void add_narrow(const T* x, std::size_t stride, std::size_t rows, std::size_t column) {
    const RowMethod method = to_.column_pace().method;
    if (method <= RowMethod::windows && has_windows<kWindows>(block_)) {
      if (by_windows<kWindows, false>(x, stride, rows, column)) return;
      failed(RowMethod::masked);
    }
    if (method <= RowMethod::masked && has_windows<kWindows>(block_)) {
      if (by_windows<kWindows, true>(x, stride, rows, column)) return;
      failed(RowMethod::more_windows);
    }
    if (kWindows < kMostWindows && method <= RowMethod::more_windows &&
        has_windows<kMostWindows>(block_)) {
      if (by_windows<kMostWindows, true>(x, stride, rows, column)) return;
      failed(RowMethod::transposed);
    }
    add_units_of_block<Source>(to_, block_, first_of_block_, x, stride, rows, column, kNarrow);
  }

  template <bool kMasked>
  bool plainly(const T* x, std::size_t stride, std::size_t rows, std::size_t column) {
    residuals_.begin(rows * kStrip);
    const bool done = add_plain_strip<Source, kStrip / kLanes, kMasked>(block_, column, x, stride,
                                                                        rows, ahead_, residuals_);
    if (kMasked && done) add_outliers(column);
    return done;
  }

  template <std::size_t kWindowCount, bool kMasked>
  HWY_NOINLINE bool by_windows(const T* x, std::size_t stride, std::size_t rows,
                               std::size_t column) {
    RowWindows<Source, kWindowCount, kVectors, kMasked> windows(block_, column);
    residuals_.begin(rows * kNarrow);
    if (!windows.take_strip(x, stride, rows, ahead_, &residuals_)) return false;
    windows.store(block_, column);
    for (std::size_t i = 0; i < residuals_.terms; ++i) {
      block_.add_term(column + residuals_.term[i].column, residuals_.term[i].x);
    }
    add_outliers(column);
    return true;
  }

  void add_outliers(std::size_t column) {
    for (std::size_t i = 0; i < residuals_.outliers; ++i) {
      add_outlier<Source>(to_, block_, first_of_block_, column + residuals_.outlier[i].column,
                          residuals_.outlier[i].x);
    }
  }

  WindowedColumns& to_;
  ColumnBlock& block_;
  std::int64_t first_of_block_;
  std::size_t ahead_;
  StripResiduals residuals_;
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
