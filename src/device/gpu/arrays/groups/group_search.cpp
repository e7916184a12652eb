#include "device/gpu/arrays/groups/group_search.hpp"

#include <cstring>

#include "device/gpu/arrays/stream/launch_arguments.hpp"

namespace tessera::device::gpu {
namespace {

using kernels::TS_U32;
using statistics::GroupKey;
using statistics::KeyRange;
using statistics::KeyRequest;

/// Counts have 32 bits.
// not crossed: 2^31 elements take too long
constexpr std::size_t kMaxCounted = std::size_t{1} << 31;

TS_U32 flags_of(const KeyRequest& request) {
  if (request.top == 0) return 0;
  return request.top_nans ? TS_LEAVES_TOP | TS_LEAVES_NANS : TS_LEAVES_TOP;
}

template <class T>
std::size_t bytes_of(const std::vector<T>& all) {
  return aligned(all.size() * sizeof(T));
}

}  // namespace

GroupSearch::GroupSearch(base::ElementType type, const statistics::GroupRequest& request,
                         std::size_t most)
    : type_(type), request_(request), most_(most) {
  for (std::size_t i = 0; i < request.large.size(); ++i) {
    kernels::TsSearchedGroup group{};
    group.key = request.large[i];
    group.flags = flags_of(request.requests[i]);
    group.first_range = static_cast<TS_U32>(ranges_.size());
    for (const KeyRange& range : request.requests[i].ranges) {
      const TS_U32 shift = range.collects() ? TS_RANGE_LEFT : static_cast<TS_U32>(range.shift);
      ranges_.push_back({range.low, range.high, shift, static_cast<TS_U32>(counts_)});
      counts_ += 1 + range.bins();
    }
    group.end_range = static_cast<TS_U32>(ranges_.size());
    groups_.push_back(group);
  }
  ranges_at_ = bytes_of(groups_);
  counts_at_ = ranges_at_ + bytes_of(ranges_);
  keys_at_ = counts_at_ + aligned(counts_ * sizeof(TS_U32));
  elements_at_ = keys_at_ + aligned(most * sizeof(GroupKey));
  list_at_ = elements_at_ + aligned(most * base::element_bytes(type));
}

std::size_t GroupSearch::list_bytes(std::size_t elements) {
  return TS_LIST_BYTES + aligned(elements * sizeof(TS_U32));
}

void GroupSearch::begin(ArrayStream& stream) {
  added_ = 0;
  stream.clear(0, keys_at_);
  if (!ranges_.empty()) stream.copy_in(std::as_bytes(std::span(ranges_)), ranges_at_);
  stream.wait();
}

void GroupSearch::add(ArrayStream& stream, std::span<const GroupKey> keys,
                      std::span<const std::byte> elements, std::span<const std::int64_t> places,
                      statistics::GroupTally& tally) {
  const statistics::NumberKeys numbers = statistics::number_keys(type_);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].top_from = tally.large[i].top.min_order();
  }
  kernels::TsSearch call{};
  call.elements = keys.size();
  call.first = request_.first;
  call.last = request_.last;
  call.least = numbers.least;
  call.greatest = numbers.greatest;
  call.zero = statistics::zero_key(type_);
  call.ranges_at = ranges_at_;
  call.counts_at = counts_at_;
  call.keys_at = keys_at_;
  call.elements_at = elements_at_;
  call.list_at = list_at_;
  call.groups = static_cast<TS_U32>(groups_.size());
  call.type = type_of(type_);
  stream.copy_in(std::as_bytes(std::span(groups_)), 0);
  stream.copy_in(std::as_bytes(keys), keys_at_);
  stream.copy_in(elements, elements_at_);
  stream.clear(list_at_, TS_LIST_BYTES);
  stream.enqueue(kernels::ArrayKernel::search, blocks_of_elements(call.elements), call);
  TS_U32 left = 0;
  stream.copy_out(list_at_, std::as_writable_bytes(std::span(&left, 1)));
  read_.resize(left);
  if (left > 0) {
    stream.copy_out(list_at_ + TS_LIST_BYTES, std::as_writable_bytes(std::span(read_)));
    add_left(keys, elements, places, tally);
  }
  added_ += keys.size();
  if (added_ >= kMaxCounted) end(stream, tally);
}

void GroupSearch::add_left(std::span<const GroupKey> keys, std::span<const std::byte> elements,
                           std::span<const std::int64_t> places, statistics::GroupTally& tally) {
  if (read_.size() == keys.size()) return tally.add(keys, elements, type_, places, request_);
  const std::size_t element_bytes = base::element_bytes(type_);
  left_keys_.resize(read_.size());
  left_elements_.resize(read_.size() * element_bytes);
  left_places_.resize(read_.size());
  for (std::size_t i = 0; i < read_.size(); ++i) {
    left_keys_[i] = keys[read_[i]];
    std::memcpy(&left_elements_[i * element_bytes], &elements[read_[i] * element_bytes],
                element_bytes);
    left_places_[i] = places[read_[i]];
  }
  tally.add(left_keys_, left_elements_, type_, left_places_, request_);
}

void GroupSearch::end(ArrayStream& stream, statistics::GroupTally& tally) {
  if (added_ == 0 || counts_ == 0) return;
  added_ = 0;
  read_.resize(counts_);
  stream.copy_out(counts_at_, std::as_writable_bytes(std::span(read_)));
  stream.clear(counts_at_, keys_at_ - counts_at_);
  const TS_U32* next = read_.data();
  for (statistics::KeyTally& group : tally.large) {
    for (statistics::RangeTally& range : group.ranges) {
      range.below += *next++;
      for (std::int64_t& bin : range.bins) {
        bin += *next;
        range.inside += *next++;
      }
    }
  }
}

}  // namespace tessera::device::gpu
