// What is counted, ordered and added as integers of each column of a matrix, in loops that become
// vectors, compiled for every instruction set.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "device/cpu/columns/column_kernels.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::cpu {

/// Of some outputs. Keys are those of reduction.hpp; what is not wanted is empty.
struct ColumnOrder {
  std::vector<statistics::OrderKey> least, greatest;
  std::vector<statistics::OrderKey> at_least, at_greatest;  ///< without the signs of zeros
  std::vector<std::int64_t> least_index, greatest_index, first_nan;
  std::vector<std::int64_t> nans, positive_infinities, negative_infinities;  ///< all three or none
  std::vector<std::int64_t> nonzero;
  /// Sums of the lower and the upper halves of 64 bits, of which the upper ones of `sum` are
  /// signed.
  std::vector<std::uint64_t> sum_low, absolute_low, squares_low;
  std::vector<std::int64_t> sum_high;
  std::vector<std::uint64_t> absolute_high, squares_high;
  std::vector<statistics::IntegerSums> integers;
  std::int64_t unfolded = 0;  ///< terms of an output since the last fold()

  /// `specials`: whether these are to be counted here.
  void begin(const statistics::ReductionSpec& spec, bool specials, std::size_t outputs);
  /// Halves into `integers`, before they overflow.
  void fold();
  /// Output `from` of another one, merged into `to`.
  void merge(std::size_t to, const ColumnOrder& other, std::size_t from);
};

/// Which of all elements of its output an element is.
struct MatrixIndex {
  std::int64_t first = 0;
  std::int64_t row_step = 0;
  std::int64_t column_step = 0;
};

/// Column c to output first + c.
template <class T>
using PassColumns = void (*)(const statistics::ReductionSpec& spec, const Matrix<T>&,
                             const MatrixIndex&, ColumnOrder& to, std::size_t first);

struct ColumnPassSet {
  std::string name;  ///< "avx2": what follows "cpu:"
  std::tuple<PassColumns<std::int8_t>, PassColumns<std::int16_t>, PassColumns<std::int32_t>,
             PassColumns<std::int64_t>, PassColumns<std::uint8_t>, PassColumns<std::uint16_t>,
             PassColumns<std::uint32_t>, PassColumns<std::uint64_t>, PassColumns<float>,
             PassColumns<double>>
      pass;
};

/// Those of this build that this machine can run, best first; the last one runs everywhere.
std::vector<ColumnPassSet> column_pass_sets();

}  // namespace tessera::device::cpu
