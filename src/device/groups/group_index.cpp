#include "device/groups/group_index.hpp"

#include <algorithm>
#include <bit>

#include "base/radix_sort.hpp"

namespace tessera::device {

namespace {

// crossed by: of_keys_at_the_ends
constexpr std::size_t kMinSlots = 1024;

/// Half of the slots stay free.
bool is_full(std::size_t slots, std::size_t groups) {
  return 2 * groups >= slots;
}

}  // namespace

void GroupIndex::reset(Key first, std::size_t count) {
  dense_first_ = first;
  dense_count_ = count;
  others_.clear();
  rehash(kMinSlots);
}

void GroupIndex::find(std::span<const Key> keys, std::uint32_t* groups) {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Key offset = keys[i] - dense_first_;
    groups[i] = static_cast<std::uint32_t>(offset);
    outside |= static_cast<std::uint64_t>(offset >= dense_count_);
  }
  if (outside == 0) return;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] - dense_first_ >= dense_count_) groups[i] = find_other(keys[i]);
  }
}

std::uint32_t GroupIndex::find_other(Key key) {
  Slot& slot = slot_of(key);
  if (slot.group_and_1 != 0) return slot.group_and_1 - 1;
  const auto group = static_cast<std::uint32_t>(groups());
  slot = {key, group + 1};
  others_.push_back(key);
  if (is_full(slots_.size(), others_.size())) rehash(2 * slots_.size());
  return group;
}

/// The slot of the key, or the free one where it belongs.
GroupIndex::Slot& GroupIndex::slot_of(Key key) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  std::size_t at = ((key ^ key >> 32) * kGolden) >> shift_;
  while (slots_[at].group_and_1 != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
  return slots_[at];
}

void GroupIndex::rehash(std::size_t slots) {
  slots_.assign(slots, {});
  shift_ = 64 - static_cast<int>(std::bit_width(slots - 1));
  for (std::size_t i = 0; i < others_.size(); ++i) {
    slot_of(others_[i]) = {others_[i], static_cast<std::uint32_t>(dense_count_ + i + 1)};
  }
}

std::vector<std::uint32_t> GroupIndex::sorted_others() const {
  struct Other {
    Key key;
    std::uint32_t group;
  };
  std::vector<Other> others(others_.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    others[i] = {others_[i], static_cast<std::uint32_t>(dense_count_ + i)};
  }
  base::radix_sort(others, &Other::key);
  std::vector<std::uint32_t> sorted(others.size());
  std::ranges::transform(others, sorted.begin(), &Other::group);
  return sorted;
}

}  // namespace tessera::device
