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
  min,
  max,
  argmin,
  argmax,
  minmax,
  norm1,
  norm2,
  norminf,
  count_nonzero,
  any,
  all,
  dot,
  histogram
};

struct Histogram {
  std::int64_t bins = 0;
  /// If not given: from the least to the greatest element.
  std::optional<std::pair<double, double>> range;

  friend bool operator==(const Histogram&, const Histogram&) = default;
};

/// How the command line names an operation. statistics/operations.cpp has its meaning.
struct OperationRow {
  Operation operation = Operation::sum;
  std::string_view name;
  std::string_view value = {};  ///< what follows NAME= in --help; "" = it takes no value
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

struct OperationList {
  std::vector<Operation> operations;  ///< each once, in the given order
  Histogram histogram;                ///< used if it is among them
};

/// Parses "sum,histogram=9,-3,3". Throws a usage error that begins with `what` for an unknown or
/// repeated name, and for a value that an operation does not take.
OperationList parse_operations(std::string_view text, std::string_view what);
std::string format_operations(std::span<const Operation> operations, const Histogram& histogram);

}  // namespace tessera::job
