// The elements of all outputs of a tile in the memory of a GPU, and the search for their order
// statistics (kernels/gpu/keep.h, kernels/gpu/select.h, kernels/gpu/values.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/axis_reducer.hpp"
#include "device/gpu/arrays/stream/array_stream.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::device::gpu {

class KeptElements {
 public:
  /// Uses the memory from byte `at` on, a multiple of TS_VECTOR_BYTES, for at most `outputs`
  /// outputs of `elements_each` elements, and for results.
  KeptElements(base::ElementType type, std::int64_t outputs, std::int64_t elements_each,
               const statistics::OrderPasses& passes, std::size_t at);

  std::size_t end() const { return end_; }
  /// Returns at once. The elements of the launch `axis` begin with the memory.
  void keep(ArrayStream& stream, const kernels::TsAxis& axis) const;
  /// Waits. The arguments are those of AxisReducer::find_order().
  void find(ArrayStream& stream, std::int64_t outputs, const statistics::OrderPasses& passes,
            const AxisReducer::VisitFindings& visit) const;

 private:
  /// Some consecutive outputs, and what was found about them.
  struct Batch {
    std::int64_t first;
    std::vector<std::int64_t> nans;  ///< by output
    std::vector<statistics::OrderFindings> found;
  };
  using Selected = std::vector<kernels::TsSelected>;

  /// Slots in the table of values of an output.
  std::size_t table_slots() const;
  kernels::TsSelect call_of(const Batch& batch) const;
  Selected select(ArrayStream& stream, const kernels::TsSelect& call) const;
  /// Counts of elements and NaN.
  statistics::Partial counts(const Batch& batch, std::size_t output) const;
  void count_nans(ArrayStream& stream, Batch& batch) const;
  void find_ranks(ArrayStream& stream, const statistics::OrderPasses& passes, Batch& batch) const;
  void count_values(ArrayStream& stream, const statistics::OrderPasses& passes, Batch& batch) const;
  void list_largest(ArrayStream& stream, const statistics::OrderPasses& passes, Batch& batch) const;

  base::ElementType type_;
  std::int64_t elements_each_;
  std::size_t outputs_at_once_;
  // Bytes of the memory: the elements, then for some outputs ranks, results, lists, and tables of
  // values.
  std::size_t at_, ranks_at_, results_at_, lists_at_, tables_at_, end_;
};

}  // namespace tessera::device::gpu
