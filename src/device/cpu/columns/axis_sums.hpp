// Exact sums of floating-point numbers along axes: of values, magnitudes and squares, as requested.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "device/cpu/columns/column_kernels.hpp"
#include "job/arrays/operations.hpp"
#include "statistics/matrix_views.hpp"
#include "statistics/output_partials.hpp"

namespace tessera::device::cpu {

class AxisSums {
 public:
  AxisSums(const statistics::ReductionSpec& spec, const WindowedColumnKernels& set);

  /// Whether there are sums. Only then does this class count NaN and infinities.
  bool any() const { return !sums_.empty(); }
  void begin(std::int64_t outputs);
  void add(const float* x, const statistics::MatrixView& view);
  void add(const double* x, const statistics::MatrixView& view);

  const ColumnSpecials& specials() const { return specials_; }
  /// Computes the answers of an operation from the finite terms. False if the operation does not
  /// use sums. Outputs that need longer arithmetic are appended to `again`.
  bool answer(job::Operation operation, const statistics::AnswerParameters& parameters,
              std::span<double> to, std::vector<std::int64_t>& again) const;
  /// Adds the sums of an output to `to`, without NaN and infinities.
  void describe(std::int64_t output, statistics::Partial& to) const;
  /// Moves the sums of all outputs to `to`.
  void give(std::int64_t elements_each, statistics::OutputPartials& to);

 private:
  struct Sums {
    Terms terms = Terms::values;
    WindowedColumns real;
    WindowedColumns part;  ///< for virtual outputs
  };

  template <class T>
  void add_to(Sums& sums, const T* x, const statistics::MatrixView& view);
  template <class T>
  void add_long(Sums& sums, const Matrix<T>& m, std::int64_t first);
  void fold_specials(std::int64_t output, std::size_t first, std::size_t step);
  const WindowedColumns* sums_of(Terms terms) const;

  std::tuple<ColumnKernels<double>, ColumnKernels<float>> kernels_;
  ColumnRounding rounding_;
  std::int64_t outputs_ = 0;
  std::vector<Sums> sums_;
  ColumnSpecials specials_;
  ColumnSpecials part_specials_;
};

}  // namespace tessera::device::cpu
