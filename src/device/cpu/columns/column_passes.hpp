// Counts, extremes and integer sums of each column of a matrix, in loops that the compiler
// vectorises, for each instruction set.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "device/cpu/columns/column_kernels.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::cpu {

/// Partial results of some outputs. Keys are those of statistics/partial.hpp; vectors that are not
/// requested are empty.
struct ColumnOrder {
  std::vector<statistics::OrderKey> least, greatest;
  std::vector<statistics::OrderKey> at_least, at_greatest;  ///< zeros as +0.0
  std::vector<std::int64_t> min_index, greatest_index, first_nan;
  std::vector<std::int64_t> nans, positive_infinities, negative_infinities;  ///< all three or none
  std::vector<std::int64_t> nonzero;
  /// Sums of the lower and of the upper 32 bits; the upper bits of `sum` are signed.
  std::vector<std::uint64_t> sum_low, absolute_low, squares_low;
  std::vector<std::int64_t> sum_high;
  std::vector<std::uint64_t> absolute_high, squares_high;
  std::vector<statistics::IntegerSums> integers;
  std::int64_t unfolded = 0;  ///< terms per output since the last fold()

  /// `specials`: whether to count NaN and infinities here.
  void begin(const statistics::ReductionSpec& spec, bool specials, std::size_t outputs);
  /// Moves the sums of halves to `integers`, before they overflow.
  void fold();
  /// Merges output `from` of `other` into output `to`.
  void merge(std::size_t to, const ColumnOrder& other, std::size_t from);
};

/// The index of an element among all elements of its output.
struct MatrixIndex {
  std::int64_t first = 0;
  std::int64_t row_step = 0;
  std::int64_t column_step = 0;
};

/// Adds column c to output first + c.
template <class T>
using PassColumns = void (*)(const statistics::ReductionSpec& spec, const Matrix<T>&,
                             const MatrixIndex&, ColumnOrder& to, std::size_t first);

struct ColumnPassSet {
  std::tuple<PassColumns<std::int8_t>, PassColumns<std::int16_t>, PassColumns<std::int32_t>,
             PassColumns<std::int64_t>, PassColumns<std::uint8_t>, PassColumns<std::uint16_t>,
             PassColumns<std::uint32_t>, PassColumns<std::uint64_t>, PassColumns<float>,
             PassColumns<double>>
      pass;
};

/// Specialised for each of Highway's targets.
template <std::int64_t kTarget>
ColumnPassSet column_pass_set();

}  // namespace tessera::device::cpu
