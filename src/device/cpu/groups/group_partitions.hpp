// Collects elements of many groups, and gives back those of neighbouring groups together, so that
// partial results stay in the cache while elements are added to them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/cpu/groups/group_columns.hpp"

namespace tessera::device::cpu {

template <class X>
class GroupPartitions {
 public:
  /// Groups of a partition: their sums and counts fill half of a second-level cache of 1 MiB.
  // crossed by: of_so_many_groups_that_elements_wait
  static constexpr int kGroupBits = 14;
  static constexpr std::size_t kGroups = std::size_t{1} << kGroupBits;

  bool empty() const { return elements_ == 0; }
  /// Elements that are waiting.
  std::size_t elements() const { return elements_; }

  /// Appends each element to the partition of its group, which is less than `groups`.
  template <class ReadX>
  void add(const GroupedBlock<ReadX>& block, std::size_t groups) {
    const std::size_t partitions = (groups + kGroups - 1) / kGroups;
    if (partitions_.size() < partitions) partitions_.resize(partitions);
    Partition* const all = partitions_.data();
    for (std::size_t i = 0; i < block.x.size(); ++i) {
      const std::uint32_t group = block.groups[i];
      Partition& partition = all[group >> kGroupBits];
      if (partition.count == kGroupBlock) [[unlikely]]
        append_block(partition);
      const std::size_t at = partition.count++;
      partition.last->groups[at] = group;
      partition.last->x[at] = block.x[i];
      if (!block.places.empty()) partition.last->put_place(at, block.places[i]);
    }
    elements_ += block.x.size();
  }

  /// Calls visit(GroupedBlock, first group of the partition) for all elements, partition by
  /// partition, and forgets them. Blocks are not empty.
  template <class Visit>
  void flush(const Visit& visit) {
    for (std::size_t p = 0; p < partitions_.size(); ++p) {
      Partition& partition = partitions_[p];
      for (; partition.last != nullptr; partition.count = kGroupBlock) {
        Block& block = *partition.last;
        visit(block.first(partition.count), p * kGroups);
        partition.last = std::exchange(block.next, free_);
        free_ = &block;
      }
    }
    elements_ = 0;
  }

 private:
  struct Block {
    Block* next = nullptr;  ///< an earlier one of the partition, or another free one
    std::array<std::uint32_t, kGroupBlock> groups;
    std::array<X, kGroupBlock> x;
    std::unique_ptr<std::array<std::int64_t, kGroupBlock>> places;  ///< null: there are none

    void put_place(std::size_t at, std::int64_t place) {
      if (!places) places = std::make_unique<std::array<std::int64_t, kGroupBlock>>();
      (*places)[at] = place;
    }
    GroupedBlock<X> first(std::size_t count) {
      return {.groups = std::span(groups).first(count),
              .x = std::span(x).first(count),
              .places = places ? std::span(*places).first(count) : std::span<std::int64_t>()};
    }
  };

  struct Partition {
    Block* last = nullptr;            ///< the only one that is not full
    std::size_t count = kGroupBlock;  ///< elements of it
  };

  void append_block(Partition& partition) {
    if (free_ == nullptr) allocate_blocks();
    Block* const block = std::exchange(free_, free_->next);
    block->next = std::exchange(partition.last, block);
    partition.count = 0;
  }

  /// Many at a time: to extend the heap of a thread block by block takes a system call for each.
  void allocate_blocks() {
    // crossed by: of_so_many_groups_that_elements_wait
    constexpr std::size_t kBlocks = 64;
    auto& blocks = blocks_.emplace_back(std::make_unique_for_overwrite<Block[]>(kBlocks));
    for (std::size_t i = 1; i < kBlocks; ++i) blocks[i - 1].next = &blocks[i];
    free_ = blocks.get();
  }

  std::size_t elements_ = 0;
  std::vector<Partition> partitions_;
  std::vector<std::unique_ptr<Block[]>> blocks_;
  Block* free_ = nullptr;
};

}  // namespace tessera::device::cpu
