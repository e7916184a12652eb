// Answers for extremes, indices and counts of many outputs, without a Partial for each.
#pragma once

#include <cstddef>
#include <span>

#include "device/cpu/columns/column_passes.hpp"
#include "statistics/output_values.hpp"

namespace tessera::device::cpu {

/// The partial results of all outputs, and their counts of NaN (empty if there are none).
struct OrderedOutputs {
  const ColumnOrder& order;
  std::span<const std::int64_t> nans;
  base::ElementType type = base::ElementType::f64;
  bool skip_nan = false;
  std::int64_t elements_each = 0;  ///< greater than 0
};

/// Writes the answers of an operation to `to`, in the types of result_of(). False if the operation
/// is of another kind, or if its partial results were not collected.
bool write_order(job::Operation operation, const OrderedOutputs& outputs, std::span<std::byte> to);

}  // namespace tessera::device::cpu
