// The operations of `tessera reduce`, and the list of them that --op takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::job {

enum class Operation {
  sum,
  prod,
  mean,
  var,
  std,
  skewness,
  kurtosis,
  min,
  max,
  argmin,
  argmax,
  minmax,
  norm1,
  norm2,
  norminf,
  count,
  count_nonzero,
  any,
  all,
  dot,
  cov,
  corr,
  histogram,
  median,
  quantile,
  mode,
  nunique,
  topk,
  argtopk
};

/// What operations on pairs of numbers add up.
enum class Pairing {
  none,
  weighted,  ///< elements and their weights
  joint      ///< elements of two arrays
};

struct Histogram {
  std::int64_t bins = 0;
  /// If not given: from the least to the greatest element.
  std::optional<std::pair<double, double>> range;

  friend bool operator==(const Histogram&, const Histogram&) = default;
};

/// The values after NAME= in --op, for operations that take one.
struct OperationValues {
  Histogram histogram;
  std::vector<double> quantiles;  ///< each in [0, 1], as given
  std::int64_t topk = 0;
  std::int64_t argtopk = 0;

  friend bool operator==(const OperationValues&, const OperationValues&) = default;
};

/// The value of an operation as text. `parts`: the text after NAME=, split at commas; empty without
/// one. read() throws a usage error that begins with `what`.
struct ValueText {
  void (*read)(std::span<const std::string> parts, OperationValues& values,
               std::string_view what) = nullptr;
  std::string (*print)(const OperationValues& values) = nullptr;
};

/// How the command line names an operation. statistics/operations.cpp has its meaning.
struct OperationRow {
  Operation operation = Operation::sum;
  std::string_view name;
  std::string_view value = {};  ///< the text after NAME= in --help; "" = it takes no value
  ValueText text = {};          ///< of that value
  bool along_axes = true;       ///< false: for whole arrays only, not with --axis
  int arrays = 1;               ///< 2: it needs --with
};
/// All of them, in the order of Operation.
std::span<const OperationRow> operations();
const OperationRow& row_of(Operation operation);
inline std::string_view operation_name(Operation operation) {
  return row_of(operation).name;
}
/// All names as --help lists them: "sum prod ... histogram=BINS[,LO,HI]".
std::string operations_help();

struct OperationList : OperationValues {
  std::vector<Operation> operations;  ///< each once, in the given order
};

/// Parses "sum,histogram=9,-3,3,mean". Numbers behind a comma continue the value before it. Throws
/// a usage error that begins with `what` for an unknown or repeated name, and for a value that an
/// operation does not take.
OperationList parse_operations(std::string_view text, std::string_view what);
std::string format_operations(std::span<const Operation> operations, const OperationValues& values);

/// Where a quantile lies between two elements: the methods of numpy.quantile.
enum class QuantileMethod {
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  linear,
  median_unbiased,
  normal_unbiased,
  lower,
  higher,
  midpoint,
  nearest
};
/// In the order of QuantileMethod.
std::span<const std::string_view> quantile_methods();
inline std::string_view method_name(QuantileMethod method) {
  return quantile_methods()[static_cast<std::size_t>(method)];
}

/// A method that weights have. Those that interpolate have Hyndman and Fan's numbers: the place of
/// a quantile q among n elements, counted from 1, is n q + alpha + q (1 - alpha - beta).
struct WeightedMethod {
  QuantileMethod method = QuantileMethod::linear;
  bool picks = false;  ///< an element instead, whose cumulated weight is the first to reach q
  // In 24ths, so that they are integers.
  std::int64_t alpha = 0;
  std::int64_t beta = 0;
};
std::span<const WeightedMethod> weighted_methods();
/// Null if the method is not defined with weights.
const WeightedMethod* find_weighted(QuantileMethod method);

}  // namespace tessera::job
