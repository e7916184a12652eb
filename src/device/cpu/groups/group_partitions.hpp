// Collects elements of many groups, and gives back those of neighbouring groups together, so that
// partial results stay in the cache while elements are added to them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cpu/groups/group_columns.hpp"

namespace tessera::device::cpu {

template <class X>
class GroupPartitions {
 public:
  /// Groups of a partition: their sums and counts fill half of a second-level cache of 1 MiB.
  static constexpr int kGroupBits = 14;

  bool empty() const { return elements_ == 0; }
  /// Elements that are waiting.
  std::size_t elements() const { return elements_; }

  void add(const GroupedBlock<X>& block) {
    elements_ += block.groups.size();
    staged_groups_.insert(staged_groups_.end(), block.groups.begin(), block.groups.end());
    staged_x_.insert(staged_x_.end(), block.x.begin(), block.x.end());
    staged_places_.insert(staged_places_.end(), block.places.begin(), block.places.end());
    if (staged_groups_.size() >= kStaged) distribute();
  }

  /// Calls visit(GroupedBlock) for all elements, partition by partition, and forgets them.
  template <class Visit>
  void flush(const Visit& visit) {
    distribute();
    for (Partition& partition : partitions_) {
      const std::size_t count = partition.groups.size();
      for (std::size_t i = 0; i < count; i += kGroupBlock) {
        const std::size_t some = std::min(kGroupBlock, count - i);
        visit(GroupedBlock<X>{
            std::span(partition.groups).subspan(i, some), std::span(partition.x).subspan(i, some),
            partition.places.empty() ? std::span<std::int64_t>()
                                     : std::span(partition.places).subspan(i, some)});
      }
      partition.groups.clear();
      partition.x.clear();
      partition.places.clear();
    }
    elements_ = 0;
  }

 private:
  /// Elements that are sorted at a time, within the cache.
  static constexpr std::size_t kStaged = std::size_t{32} << 10;

  struct Partition {
    std::vector<std::uint32_t> groups;
    std::vector<X> x;
    std::vector<std::int64_t> places;
  };

  /// Appends the staged elements to their partitions, by counting.
  void distribute() {
    if (staged_groups_.empty()) return;
    const std::uint32_t largest = *std::ranges::max_element(staged_groups_);
    const std::size_t count = (largest >> kGroupBits) + 1;
    if (partitions_.size() < count) partitions_.resize(count);
    begins_.assign(count + 1, 0);
    for (const std::uint32_t group : staged_groups_) ++begins_[(group >> kGroupBits) + 1];
    for (std::size_t p = 0; p < count; ++p) begins_[p + 1] += begins_[p];
    ends_.assign(begins_.begin(), begins_.end());
    sort(staged_groups_, sorted_groups_, [&](std::size_t to, std::size_t i) {
      sorted_x_[to] = staged_x_[i];
      if (!staged_places_.empty()) sorted_places_[to] = staged_places_[i];
    });
    for (std::size_t p = 0; p < count; ++p) append(partitions_[p], begins_[p], begins_[p + 1]);
    staged_groups_.clear();
    staged_x_.clear();
    staged_places_.clear();
  }

  template <class MoveOthers>
  void sort(const std::vector<std::uint32_t>& from, std::vector<std::uint32_t>& to,
            const MoveOthers& move_others) {
    to.resize(from.size());
    sorted_x_.resize(staged_x_.size());
    sorted_places_.resize(staged_places_.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::uint32_t at = ends_[from[i] >> kGroupBits]++;
      to[at] = from[i];
      move_others(at, i);
    }
  }

  void append(Partition& partition, std::size_t first, std::size_t end) {
    const auto append_some = [&](const auto& from, auto& to) {
      if (from.empty()) return;
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
                from.begin() + static_cast<std::ptrdiff_t>(end));
    };
    append_some(sorted_groups_, partition.groups);
    append_some(sorted_x_, partition.x);
    append_some(sorted_places_, partition.places);
  }

  std::size_t elements_ = 0;
  std::vector<Partition> partitions_;
  std::vector<std::uint32_t> staged_groups_, sorted_groups_;
  std::vector<X> staged_x_, sorted_x_;
  std::vector<std::int64_t> staged_places_, sorted_places_;
  std::vector<std::uint32_t> begins_, ends_;  ///< of the partitions, among the sorted elements
};

}  // namespace tessera::device::cpu
