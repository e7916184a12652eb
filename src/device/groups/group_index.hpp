// Numbers the groups that appear: those of a dense range of keys by their keys, all others in the
// order in which they appear, by a hash table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "statistics/group_partials.hpp"

namespace tessera::device {

class GroupIndex {
 public:
  using Key = statistics::GroupKey;

  /// No groups but the dense ones: group i has the key first + i.
  void reset(Key first, std::size_t count);

  /// The number of each key's group; keys that are new become groups.
  void find(std::span<const Key> keys, std::uint32_t* groups);

  std::size_t groups() const { return dense_count_ + others_.size(); }
  /// How many groups are in the hash table.
  std::size_t others() const { return others_.size(); }
  /// The groups for which `has` says so, sorted by key.
  template <class Has>
  std::vector<std::uint32_t> sorted(const Has& has) const {
    std::vector<std::uint32_t> below = sorted_others();
    std::vector<std::uint32_t> all;
    all.reserve(groups());
    std::size_t i = 0;
    for (; i < below.size() && key(below[i]) < dense_first_; ++i) all.push_back(below[i]);
    for (std::uint32_t g = 0; g < dense_count_; ++g) {
      if (has(g)) all.push_back(g);
    }
    all.insert(all.end(), below.begin() + static_cast<std::ptrdiff_t>(i), below.end());
    return all;
  }
  Key key(std::uint32_t group) const {
    return group < dense_count_ ? dense_first_ + group : others_[group - dense_count_];
  }

 private:
  struct Slot {
    Key key = 0;
    std::uint32_t group_and_1 = 0;  ///< 0 = free
  };

  std::uint32_t find_other(Key key);
  Slot& slot_of(Key key);
  void rehash(std::size_t slots);
  std::vector<std::uint32_t> sorted_others() const;

  Key dense_first_ = 0;
  std::size_t dense_count_ = 0;
  std::vector<Key> others_;
  std::vector<Slot> slots_;
  int shift_ = 64;  ///< shift of a hash, so that it is a slot
};

}  // namespace tessera::device
