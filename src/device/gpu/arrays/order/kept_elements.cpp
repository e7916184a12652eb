#include "device/gpu/arrays/order/kept_elements.hpp"

#include <algorithm>

#include "device/gpu/arrays/stream/launch_arguments.hpp"

namespace tessera::device::gpu {
namespace {

using kernels::TS_U32;
using kernels::TS_U64;
using kernels::TsValueSlot;
using statistics::OrderPasses;
using statistics::Partial;

/// Results that are read at a time.
// crossed by: of_more_outputs_than_are_searched_at_once
constexpr std::size_t kResultBytes = std::size_t{1} << 20;
/// Tables of values that are in memory at a time.
// crossed by: of_more_tables_of_values_than_there_is_room_for
constexpr std::size_t kTableBytes = std::size_t{8} << 20;

/// Those for which no other one is the next lower one, which finds the next one, too.
std::vector<std::int64_t> lower_ranks(const OrderPasses& passes, const Partial& counts) {
  std::vector<std::int64_t> ranks = passes.ranks(counts);
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::int64_t> lower;
  for (const std::int64_t rank : ranks) {
    if (lower.empty() || rank > lower.back() + 1) lower.push_back(rank);
  }
  return lower;
}

}  // namespace

KeptElements::KeptElements(base::ElementType type, std::int64_t outputs, std::int64_t elements_each,
                           const OrderPasses& passes, std::size_t at)
    : type_(type), elements_each_(elements_each), at_(at) {
  const std::size_t list_bytes = static_cast<std::size_t>(passes.top()) * 2 * sizeof(TS_U64);
  const std::size_t bytes_each = sizeof(TS_U32) + sizeof(kernels::TsSelected) + list_bytes;
  const std::size_t table_bytes = passes.counts_values() ? table_slots() * sizeof(TsValueSlot) : 0;
  outputs_at_once_ = std::clamp<std::size_t>(
      std::min(kResultBytes / bytes_each, kTableBytes / std::max<std::size_t>(1, table_bytes)), 1,
      static_cast<std::size_t>(std::max<std::int64_t>(1, outputs)));
  const auto elements = static_cast<std::size_t>(outputs * elements_each);
  ranks_at_ = at + aligned(elements * base::element_bytes(type));
  results_at_ = ranks_at_ + aligned(outputs_at_once_ * sizeof(TS_U32));
  lists_at_ = results_at_ + aligned(outputs_at_once_ * sizeof(kernels::TsSelected));
  tables_at_ = lists_at_ + outputs_at_once_ * list_bytes;
  end_ = tables_at_ + outputs_at_once_ * table_bytes;
}

void KeptElements::keep(ArrayStream& stream, const kernels::TsAxis& axis) const {
  kernels::TsKeep call{};
  call.axis = axis;
  call.elements_each = static_cast<TS_U64>(elements_each_);
  call.to = at_;
  stream.enqueue(kernels::ArrayKernel::keep,
                 blocks_of_elements(std::size_t{axis.outputs} * axis.terms), call);
}

kernels::TsSelect KeptElements::call_of(const Batch& batch) const {
  const statistics::NumberKeys numbers = statistics::number_keys(type_);
  const auto first = static_cast<std::size_t>(batch.first * elements_each_);
  kernels::TsSelect call{};
  call.elements_at = at_ + first * base::element_bytes(type_);
  call.elements_each = static_cast<TS_U64>(elements_each_);
  call.ranks_at = ranks_at_;
  call.to = results_at_;
  call.list_at = lists_at_;
  call.least = numbers.least;
  call.greatest = numbers.greatest;
  call.zero = statistics::zero_key(type_);
  call.outputs = static_cast<TS_U32>(batch.found.size());
  call.type = type_of(type_);
  call.bits = call.searched_bits = static_cast<TS_U32>(statistics::key_bits(type_));
  return call;
}

KeptElements::Selected KeptElements::select(ArrayStream& stream,
                                            const kernels::TsSelect& call) const {
  Selected selected(call.outputs);
  stream.enqueue(kernels::ArrayKernel::select, call.outputs, call);
  stream.copy_out(results_at_, std::as_writable_bytes(std::span(selected)));
  return selected;
}

Partial KeptElements::counts(const Batch& batch, std::size_t output) const {
  Partial counts;
  counts.elements = elements_each_;
  counts.nans = batch.nans[output];
  return counts;
}

void KeptElements::count_nans(ArrayStream& stream, Batch& batch) const {
  if (!base::is_floating(type_)) return;
  kernels::TsSelect call = call_of(batch);
  call.searched_bits = 8;
  stream.clear(ranks_at_, aligned(batch.found.size() * sizeof(TS_U32)));  // any rank will do
  const Selected selected = select(stream, call);
  for (std::size_t i = 0; i < selected.size(); ++i) {
    batch.nans[i] = elements_each_ - selected[i].all;
  }
}

void KeptElements::find_ranks(ArrayStream& stream, const OrderPasses& passes, Batch& batch) const {
  const std::size_t outputs = batch.found.size();
  std::vector<std::vector<std::int64_t>> ranks(outputs);
  std::size_t most = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    ranks[i] = lower_ranks(passes, counts(batch, i));
    most = std::max(most, ranks[i].size());
  }
  std::vector<TS_U32> sought(outputs);
  for (std::size_t number = 0; number < most; ++number) {
    for (std::size_t i = 0; i < outputs; ++i) {
      sought[i] = number < ranks[i].size() ? static_cast<TS_U32>(ranks[i][number]) : 0;
    }
    stream.copy_in(std::as_bytes(std::span(sought)), ranks_at_);
    const Selected selected = select(stream, call_of(batch));
    for (std::size_t i = 0; i < outputs; ++i) {
      if (number >= ranks[i].size()) continue;
      const std::int64_t rank = ranks[i][number];
      const bool is_equal = rank + 1 < std::int64_t{selected[i].below} + selected[i].equal;
      batch.found[i].by_rank[rank] = selected[i].order;
      batch.found[i].by_rank[rank + 1] = is_equal ? selected[i].order : selected[i].next;
    }
  }
}

std::size_t KeptElements::table_slots() const {
  return value_slots(static_cast<std::size_t>(elements_each_));
}

void KeptElements::count_values(ArrayStream& stream, const OrderPasses& passes,
                                Batch& batch) const {
  if (!passes.counts_values()) return;
  const kernels::TsSelect select = call_of(batch);
  kernels::TsValues call{};
  call.elements_at = select.elements_at;
  call.elements_each = select.elements_each;
  call.tables_at = tables_at_;
  call.to = results_at_;
  call.greatest = select.greatest;
  call.slots = static_cast<TS_U32>(table_slots());
  call.tables = select.outputs;
  call.splits = static_cast<TS_U32>(blocks_of_table(select.elements_each));
  call.type = select.type;
  call.what = TS_VALUES_COUNTED;
  stream.clear(tables_at_, call.tables * table_slots() * sizeof(TsValueSlot));
  stream.enqueue(kernels::ArrayKernel::values, std::size_t{call.tables} * call.splits, call);
  call.what = TS_VALUES_FOUND;
  call.splits = 1;
  stream.enqueue(kernels::ArrayKernel::values, call.tables, call);
  std::vector<kernels::TsMode> modes(batch.found.size());
  static_assert(sizeof(kernels::TsMode) <= sizeof(kernels::TsSelected));
  stream.copy_out(results_at_, std::as_writable_bytes(std::span(modes)));
  for (std::size_t i = 0; i < modes.size(); ++i) {
    batch.found[i].mode = modes[i].key;
    batch.found[i].mode_count = modes[i].count;
    batch.found[i].distinct = modes[i].distinct;
  }
}

void KeptElements::list_largest(ArrayStream& stream, const OrderPasses& passes,
                                Batch& batch) const {
  const auto top = static_cast<std::size_t>(passes.top());
  if (top == 0) return;
  kernels::TsSelect call = call_of(batch);
  call.largest = static_cast<TS_U32>(top);
  call.nans = passes.top_nans() ? 1 : 0;
  const Selected selected = select(stream, call);
  std::vector<TS_U64> lists(selected.size() * top * 2);
  stream.clear(lists_at_, lists.size() * sizeof(TS_U64));  // some outputs have fewer numbers
  stream.enqueue(kernels::ArrayKernel::list, call.outputs, call);
  stream.copy_out(lists_at_, std::as_writable_bytes(std::span(lists)));
  const statistics::NumberKeys numbers = statistics::number_keys(type_);
  for (std::size_t i = 0; i < selected.size(); ++i) {
    std::vector<statistics::TopElement>& found = batch.found[i].top;
    const TS_U64* at = &lists[i * top * 2];
    for (std::size_t n = std::min<std::size_t>(top, selected[i].all); n > 0; --n, at += 2) {
      const statistics::ElementKey order = numbers.contain(at[0])
                                               ? statistics::unsigned_zero_key(at[0], type_)
                                               : statistics::TopElement::kNan;
      found.push_back({order, static_cast<std::int64_t>(at[1]), at[0]});
    }
    std::sort(found.begin(), found.end());
  }
}

void KeptElements::find(ArrayStream& stream, std::int64_t outputs, const OrderPasses& passes,
                        const AxisReducer::VisitFindings& visit) const {
  const auto all = static_cast<std::size_t>(outputs);
  for (std::size_t first = 0; first < all; first += outputs_at_once_) {
    const std::size_t count = std::min(outputs_at_once_, all - first);
    Batch batch{.first = static_cast<std::int64_t>(first),
                .nans = std::vector<std::int64_t>(count),
                .found = std::vector<statistics::OrderFindings>(count)};
    count_nans(stream, batch);
    find_ranks(stream, passes, batch);
    list_largest(stream, passes, batch);
    count_values(stream, passes, batch);
    for (std::size_t i = 0; i < count; ++i) {
      visit(batch.first + static_cast<std::int64_t>(i), counts(batch, i), batch.found[i]);
    }
  }
}

}  // namespace tessera::device::gpu
