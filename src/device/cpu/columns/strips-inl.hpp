// Adds strips of outputs, some terms at a time, by the fastest method that has recently succeeded.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_STRIPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_STRIPS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_STRIPS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_STRIPS_INL
#endif

#include <algorithm>
#include <type_traits>

#include "device/cpu/columns/matrix_units-inl.hpp"
#include "device/cpu/columns/plain_strip-inl.hpp"
#include "device/cpu/columns/strip_windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// The outputs are columns of a matrix, or its rows (kOfRows). Strips of columns add to the windows
/// of the block. Strips of rows, which are longer, begin with empty windows, one for each lane.
template <class Source, bool kOfRows>
class Strips {
 public:
  using T = typename Source::Element;
  static constexpr bool kIsPlain = sizeof(T) == 4 && Source::kKind != Terms::squares;
  /// Vectors of outputs in windows: enough to hide latencies, few enough for the registers.
  static constexpr std::size_t kVectors = kOfRows ? 1 : Source::kHasError ? kWide : 2 * kWide;
  static constexpr std::size_t kNarrow = kVectors * kLanes;
  /// Outputs of a strip.
  // crossed by: of_outputs_and_their_elements
  static constexpr std::size_t kStrip = kIsPlain && !kOfRows ? 2 * kNarrow : kNarrow;

  /// `ahead`: distance, in elements, of the memory to prefetch.
  Strips(WindowedColumns& to, ColumnBlock& block, std::int64_t first_of_block, std::size_t ahead)
      : to_(to), block_(block), first_of_block_(first_of_block), ahead_(ahead) {}

  /// Adds `terms` terms of each output of a strip, for which the windows have room. Rows of the
  /// matrix are `stride` apart.
  void add(const T* x, std::size_t stride, std::size_t terms, std::size_t column) {
    StripPace& pace = to_.pace();
    if (pace.strips_to_review-- <= 0) pace.method = StripMethod::plain;
    if constexpr (kIsPlain) {
      if (pace.method <= StripMethod::plain_masked && RoundingFlag::works()) {
        if (pace.method == StripMethod::plain) {
          if (plainly<false>(x, stride, terms, column)) {
            pace.failures = std::max(pace.failures - 1, 0);
            return;
          }
          failed(StripMethod::plain_masked);
        }
        if (plainly<true>(x, stride, terms, column)) return;
        failed(StripMethod::windows);
      }
    }
    for (std::size_t c = 0; c < kStrip; c += kNarrow) {
      add_narrow(x + c, stride, terms, column + c);
    }
  }

 private:
  static constexpr std::size_t kWindows = Source::kHasError ? 3 : 2;
  // crossed by: of_outputs_and_their_elements
  static constexpr std::size_t kMaxWindows = 3;
  static constexpr int kStripsToReview = 512;
  template <std::size_t kVectorCount>
  using Steps = std::conditional_t<kOfRows, RowSteps<T>, ColumnSteps<T, kVectorCount>>;

  /// Changes the method only after many failures: a few among many strips are tolerated.
  void failed(StripMethod better) {
    constexpr int kStripsEach = 4;
    constexpr int kOften = 16 * kStripsEach;
    StripPace& pace = to_.pace();
    pace.failures += kStripsEach;
    if (pace.failures < kOften) return;
    pace = {.method = better, .strips_to_review = kStripsToReview};
  }

  void add_narrow(const T* x, std::size_t stride, std::size_t terms, std::size_t column) {
    const StripMethod method = to_.pace().method;
    if (method <= StripMethod::windows && has_windows<kWindows>(block_)) {
      if (by_windows<kWindows, false>(x, stride, terms, column)) return;
      failed(StripMethod::masked);
    }
    if (method <= StripMethod::masked && has_windows<kWindows>(block_)) {
      if (by_windows<kWindows, true>(x, stride, terms, column)) return;
      failed(StripMethod::more_windows);
    }
    if (kWindows < kMaxWindows && method <= StripMethod::more_windows &&
        has_windows<kMaxWindows>(block_)) {
      if (by_windows<kMaxWindows, true>(x, stride, terms, column)) return;
      failed(StripMethod::units);
    }
    if constexpr (kOfRows) {
      add_units_of_rows<Source>(to_, block_, first_of_block_, matrix_of(x, stride, terms), column);
    } else {
      add_units_of_columns<Source>(to_, block_, first_of_block_, x, stride, terms, column, kNarrow);
    }
  }

  /// Adds f32 by additions that are exact if the processor did not round. False, with nothing
  /// added, if it did, if a sum is too large, or if there are many outliers.
  template <bool kMasked>
  HWY_NOINLINE bool plainly(const T* x, std::size_t stride, std::size_t terms, std::size_t column) {
    const T bound = bound_of<T>(block_.exponents[block_.usual] - ColumnBlock::kRoomBits);
    HWY_ALIGN double sums[kStrip];
    if (kMasked) residuals_.begin(terms * kStrip);
    settle_memory(sums);
    // Reading the flag is cheaper than writing it, and it is rarely raised.
    if (RoundingFlag::is_raised()) RoundingFlag::lower();
    settle_memory(sums);
    PlainStrip<Source, Steps<kStrip / kLanes>, kMasked> strip(block_, column);
    const bool taken = strip.take({x, stride, terms, ahead_}, bound, residuals_, sums);
    settle_memory(sums);
    if (!taken || RoundingFlag::is_raised() || !strip.are_right()) return false;
    finish(strip, x, stride, terms, column);
    if (kMasked) add_residuals(column);
    return true;
  }

  template <std::size_t kWindowCount, bool kMasked>
  HWY_NOINLINE bool by_windows(const T* x, std::size_t stride, std::size_t terms,
                               std::size_t column) {
    StripWindows<Source, kWindowCount, Steps<kVectors>, kMasked> strip(block_, column);
    if (kMasked) residuals_.begin(terms * kNarrow);
    if (!strip.take({x, stride, terms, ahead_}, residuals_)) return false;
    finish(strip, x, stride, terms, column);
    if (kMasked) add_residuals(column);
    return true;
  }

  /// Adds the result of a strip to the block.
  template <class Strip>
  HWY_INLINE void finish(const Strip& strip, const T* x, std::size_t stride, std::size_t terms,
                         std::size_t column) {
    if constexpr (kOfRows) {
      take_room(block_, 1);
      if (!strip.fold(block_, column)) mark(x, stride, terms, column);
    } else {
      strip.store(block_, column);
    }
  }

  /// Marks rows whose sums are 0 if they have a term other than -0.0.
  void mark(const T* x, std::size_t stride, std::size_t terms, std::size_t column) {
    if (Source::kKind == Terms::values) mark_others(block_, x, terms, 1, column, kNarrow, stride);
  }

  void add_residuals(std::size_t column) {
    const auto& [left, outliers, most] = residuals_;
    for (std::size_t i = 0; i < left.size; ++i) {
      block_.add_term(column + left.output[i], left.x[i]);
    }
    for (std::size_t i = 0; i < outliers.size; ++i) {
      add_outlier<Source>(to_, block_, first_of_block_, column + outliers.output[i], outliers.x[i]);
    }
  }

  static Matrix<T> matrix_of(const T* x, std::size_t stride, std::size_t terms) {
    return {x, static_cast<std::int64_t>(kNarrow), static_cast<std::int64_t>(terms),
            static_cast<std::int64_t>(stride)};
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
