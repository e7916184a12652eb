// Answers about extremes, places and counts of many outputs, without a partial result of each.
#pragma once

#include <cstddef>
#include <span>

#include "device/cpu/columns/column_passes.hpp"
#include "statistics/output_values.hpp"

namespace tessera::device::cpu {

/// What is known of all outputs: their order, and how many NaN each has, if any has some.
struct OrderedOutputs {
  const ColumnOrder& order;
  std::span<const std::int64_t> nans;
  base::ElementType type = base::ElementType::f64;
  bool skip_nan = false;
  std::int64_t elements_each = 0;  ///< > 0
};

/// One operation about all of them into `to`, in the types of result_of(). False for operations of
/// another kind, or that the order was not kept for.
bool write_order(job::Operation operation, const OrderedOutputs& outputs, std::span<std::byte> to);

}  // namespace tessera::device::cpu
