#include "device/cpu/columns/column_passes.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "device/cpu/passes/array_passes.hpp"
#include "kernels/real/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/columns/column_passes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// The keys of NaN lie outside the range of those of numbers.
template <class T>
HWY_INLINE statistics::OrderKey order_key(T x) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = std::bit_cast<std::int64_t>(static_cast<double>(x));
    return static_cast<std::uint64_t>(bits ^ ((bits >> 63) & ~(std::int64_t{1} << 63))) ^ kSign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) ^ kSign;
  } else {
    return x;
  }
}

template <class T>
HWY_INLINE bool is_number(T x) {
  return x == x;
}

template <class T>
HWY_NOINLINE void pass_extremes(const T* HWY_RESTRICT x, std::size_t columns,
                                statistics::OrderKey* HWY_RESTRICT least,
                                statistics::OrderKey* HWY_RESTRICT greatest) {
  for (std::size_t c = 0; c < columns; ++c) {
    const statistics::OrderKey key = order_key(x[c]);
    const statistics::OrderKey low = is_number(x[c]) ? key : ~statistics::OrderKey{0};
    const statistics::OrderKey high = is_number(x[c]) ? key : 0;
    least[c] = low < least[c] ? low : least[c];
    greatest[c] = high > greatest[c] ? high : greatest[c];
  }
}

/// kGreatest: indices of the maxima, otherwise of the minima.
template <bool kGreatest, class T>
HWY_NOINLINE void pass_places(const T* HWY_RESTRICT x, std::size_t columns, std::int64_t first,
                              std::int64_t step, statistics::OrderKey* HWY_RESTRICT best,
                              std::int64_t* HWY_RESTRICT index) {
  for (std::size_t c = 0; c < columns; ++c) {
    // Adding 0 turns -0.0 into +0.0.
    const statistics::OrderKey key = order_key(static_cast<T>(x[c] + T{0}));
    const std::int64_t at = first + static_cast<std::int64_t>(c) * step;
    const bool beyond = kGreatest ? key > best[c] : key < best[c];
    const bool tie = key == best[c];
    const bool better = is_number(x[c]) & (beyond | (tie & (at < index[c])));
    best[c] = better ? key : best[c];
    index[c] = better ? at : index[c];
  }
}

template <class T>
HWY_NOINLINE void pass_first_nan(const T* HWY_RESTRICT x, std::size_t columns, std::int64_t first,
                                 std::int64_t step, std::int64_t* HWY_RESTRICT index) {
  for (std::size_t c = 0; c < columns; ++c) {
    const std::int64_t at = first + static_cast<std::int64_t>(c) * step;
    const bool better = !is_number(x[c]) & (at < index[c]);
    index[c] = better ? at : index[c];
  }
}

template <class T>
HWY_NOINLINE void pass_specials(const T* HWY_RESTRICT x, std::size_t columns, ColumnOrder& to,
                                std::size_t first) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  std::int64_t* HWY_RESTRICT const nans = &to.nans[first];
  std::int64_t* HWY_RESTRICT const positive = &to.positive_infinities[first];
  std::int64_t* HWY_RESTRICT const negative = &to.negative_infinities[first];
  for (std::size_t c = 0; c < columns; ++c) {
    nans[c] += is_number(x[c]) ? 0 : 1;
    positive[c] += x[c] == kInfinity ? 1 : 0;
    negative[c] += x[c] == -kInfinity ? 1 : 0;
  }
}

template <class T>
HWY_NOINLINE void pass_nonzero(const T* HWY_RESTRICT x, std::size_t columns, bool skip_nan,
                               std::int64_t* HWY_RESTRICT nonzero) {
  const bool all = !skip_nan;
  for (std::size_t c = 0; c < columns; ++c) {
    nonzero[c] += (x[c] != T{0}) & (is_number(x[c]) | all) ? 1 : 0;
  }
}

template <class T>
HWY_NOINLINE void pass_sum(const T* HWY_RESTRICT x, std::size_t columns,
                           std::uint64_t* HWY_RESTRICT low, std::int64_t* HWY_RESTRICT high) {
  for (std::size_t c = 0; c < columns; ++c) {
    if constexpr (std::is_signed_v<T>) {
      const auto wide = static_cast<std::int64_t>(x[c]);  // NOLINT(bugprone-signed-char-misuse)
      low[c] += static_cast<std::uint64_t>(wide) & 0xffffffff;
      high[c] += wide >> 32;
    } else {
      const auto wide = static_cast<std::uint64_t>(x[c]);
      low[c] += wide & 0xffffffff;
      high[c] += static_cast<std::int64_t>(wide >> 32);
    }
  }
}

template <class T>
HWY_NOINLINE void pass_absolute(const T* HWY_RESTRICT x, std::size_t columns,
                                std::uint64_t* HWY_RESTRICT low, std::uint64_t* HWY_RESTRICT high) {
  for (std::size_t c = 0; c < columns; ++c) {
    const std::uint64_t size = magnitude_of(x[c]);
    low[c] += size & 0xffffffff;
    high[c] += size >> 32;
  }
}

template <class T>
HWY_NOINLINE void pass_squares(const T* HWY_RESTRICT x, std::size_t columns, ColumnOrder& to,
                               std::size_t first) {
  if constexpr (sizeof(T) < 8) {
    std::uint64_t* HWY_RESTRICT const low = &to.squares_low[first];
    std::uint64_t* HWY_RESTRICT const high = &to.squares_high[first];
    for (std::size_t c = 0; c < columns; ++c) {
      const std::uint64_t square = magnitude_of(x[c]) * magnitude_of(x[c]);
      low[c] += square & 0xffffffff;
      high[c] += square >> 32;
    }
  } else {
    for (std::size_t c = 0; c < columns; ++c) {
      add_square(x[c], to.integers[first + c]);
    }
  }
}

template <class T>
void pass_row(const statistics::ReductionSpec& spec, const T* x, std::size_t columns,
              const MatrixIndex& index, ColumnOrder& to, std::size_t first) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!to.nans.empty()) pass_specials(x, columns, to, first);
  } else {
    if (spec.sum) pass_sum(x, columns, &to.sum_low[first], &to.sum_high[first]);
    if (spec.absolute) pass_absolute(x, columns, &to.absolute_low[first], &to.absolute_high[first]);
    if (spec.squares) pass_squares(x, columns, to, first);
  }
  if (spec.nonzero) pass_nonzero(x, columns, spec.skip_nan, &to.nonzero[first]);
  if (spec.extremes) pass_extremes(x, columns, &to.least[first], &to.greatest[first]);
  if (!spec.places) return;
  const std::int64_t step = index.column_step;
  pass_places<false>(x, columns, index.first, step, &to.at_least[first], &to.min_index[first]);
  pass_places<true>(x, columns, index.first, step, &to.at_greatest[first],
                    &to.greatest_index[first]);
  if constexpr (std::is_floating_point_v<T>) {
    pass_first_nan(x, columns, index.first, step, &to.first_nan[first]);
  }
}

template <class T>
void pass_columns(const statistics::ReductionSpec& spec, const Matrix<T>& m,
                  const MatrixIndex& index, ColumnOrder& to, std::size_t first) {
  // This many columns stay in the L1 cache while they pass through several loops.
  // crossed by: of_outputs_and_their_elements
  constexpr std::int64_t kColumns = 1024;
  // crossed by: HalvesHaveRoomForAsManyTermsAsTheyAreGiven, FoldWhenThereWouldBeTooMany
  constexpr std::int64_t kMaxUnfolded = std::int64_t{1} << 30;
  if (to.unfolded + m.rows > kMaxUnfolded) to.fold();
  to.unfolded += m.rows;
  for (std::int64_t c = 0; c < m.columns; c += kColumns) {
    const auto columns = static_cast<std::size_t>(std::min(kColumns, m.columns - c));
    for (std::int64_t r = 0; r < m.rows; ++r) {
      const MatrixIndex row{index.first + r * index.row_step + c * index.column_step, 0,
                            index.column_step};
      pass_row(spec, m.x + r * m.stride + c, columns, row, to, first + static_cast<std::size_t>(c));
    }
  }
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace tessera::device::cpu {
template <>
ColumnPassSet column_pass_set<HWY_TARGET>() {
  using namespace HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)
  return {{&pass_columns<std::int8_t>, &pass_columns<std::int16_t>, &pass_columns<std::int32_t>,
           &pass_columns<std::int64_t>, &pass_columns<std::uint8_t>, &pass_columns<std::uint16_t>,
           &pass_columns<std::uint32_t>, &pass_columns<std::uint64_t>, &pass_columns<float>,
           &pass_columns<double>}};
}
}  // namespace tessera::device::cpu
