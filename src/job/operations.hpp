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

std::string_view operation_name(Operation operation);
/// All names, in the order of Operation.
std::span<const std::string_view> operation_names();

struct OperationList {
  std::vector<Operation> operations;  ///< each once, in the given order
  Histogram histogram;                ///< used if it is among them
};

/// Parses "sum,histogram=9,-3,3". Throws a usage error that begins with `what` for an unknown or
/// repeated name, and for a value that an operation does not take.
OperationList parse_operations(std::string_view text, std::string_view what);
std::string format_operations(std::span<const Operation> operations, const Histogram& histogram);

}  // namespace tessera::job
