// What `tessera reduce` can make of an array, and the list of it that --op takes.
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
  /// From the least to the greatest element, if it is not given.
  std::optional<std::pair<double, double>> range;

  friend bool operator==(const Histogram&, const Histogram&) = default;
};

/// What the command line says about an operation. statistics/operations.cpp has what it means.
struct OperationRow {
  Operation operation = Operation::sum;
  std::string_view name;
  std::string_view value = {};  ///< as --help shows it behind the name; "" = it takes none
  bool along_axes = true;       ///< false: of a whole array only, not with --axis
  int arrays = 1;               ///< 2: of the elements of --with, too
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
  std::vector<Operation> operations;  ///< each once, in the order given
  Histogram histogram;                ///< if it is among them
};

/// "sum,histogram=9,-3,3". Usage error, which begins with `what`, for a name that is not there or
/// is there twice, and for a value where none belongs.
OperationList parse_operations(std::string_view text, std::string_view what);
std::string format_operations(std::span<const Operation> operations, const Histogram& histogram);

}  // namespace tessera::job
