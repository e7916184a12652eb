// The work of a pass over the groups: reduces a part of the array to the partial results of its
// groups.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "device/group_reducer.hpp"
#include "job/arrays/reduce_job.hpp"
#include "reduce/groups/group_items.hpp"
#include "reduce/groups/group_keys.hpp"
#include "reduce/groups/group_passes.hpp"
#include "reduce/groups/present_members.hpp"
#include "reduce/input/aligned_reader.hpp"
#include "reduce/item_work.hpp"
#include "statistics/group_partials.hpp"
#include "statistics/order/group_order.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// What the gather rank holds in memory, beyond which it stores runs.
struct GroupLimits {
  std::uint64_t group_bytes = 0;
  std::size_t members = 0;
  std::uint64_t merge_bytes = 0;  ///< for a merge of stored runs
  std::size_t block_bytes = 0;    ///< of a block of a run, in memory
  PassLimits pass;
};

/// Of the memory of a lane.
struct LaneLimits {
  std::uint64_t each = 1;       ///< bytes that a group takes
  std::uint64_t bytes = 0;      ///< for groups
  std::uint64_t waiting = 0;    ///< bytes for elements that wait
  std::uint64_t max_dense = 0;  ///< keys of a dense range; the rest is for others and accumulators
};

/// A reduction of groups; the same on every rank.
struct GroupTask {
  const store::ArraySource* source = nullptr;
  const job::ReduceJob* job = nullptr;
  const GroupKeys* keys = nullptr;
  statistics::GroupSpec group_spec;
  // By a sample.
  KeyRange likely;          ///< most keys are in it
  double part_outside = 0;  ///< of the elements, outside of the window

  /// No reduction of groups is refused because --memory is less.
  std::uint64_t min_bytes() const;
  /// Bytes of --memory for groups, beside those of the readers of `lanes` lanes.
  std::uint64_t group_bytes(int lanes) const;
  /// Bytes of the groups that the gather rank can hold.
  std::uint64_t merged_bytes(int lanes) const;
  /// Bytes of --memory for the searches in large groups, if no elements are collected.
  std::uint64_t search_bytes(int lanes) const { return group_bytes(lanes) / 2; }
  /// How many elements of smaller groups the gather rank can hold.
  std::size_t max_members(int lanes) const;
  LaneLimits lane_limits(int lanes) const;
  GroupLimits room(int lanes) const;
  /// What a lane may hold of the groups with keys in `requested`, in an item of `elements`.
  device::GroupScope scope(const KeyRange& requested, int lanes, std::int64_t elements) const;
};

/// The result of an item.
struct GroupResult {
  PieceRange left;                   ///< to another pass, because the groups became too many
  statistics::GroupPartials groups;  ///< sorted
  statistics::GroupTally tally;      ///< of a pass for order statistics; there are no groups then
  LeftOut left_out;
  std::int64_t bad_place = kNoPlace;  ///< of the first key that is not one of --groups

  static constexpr std::int64_t kNoPlace = -1;
  static auto members(auto& self) {
    return std::tie(self.left, self.groups, self.tally, self.left_out, self.bad_place);
  }
};

struct GroupLane {
  int device = 0;  ///< position in the rank's devices
  std::unique_ptr<device::GroupReducer> reducer;
  std::unique_ptr<PieceReader> reader;
  std::unique_ptr<AlignedReader> keys_reader;
  std::optional<PresentMembers> present;  ///< set if elements or keys may be missing
  std::vector<statistics::GroupKey> keys;
  std::vector<std::int64_t> places;
  bool searches = false;  ///< the device adds to the tally
  device::GroupScope scope;
  double read_s = 0;
};

class GroupWork : public ItemWork {
 public:
  /// Opens as many lanes as the devices have and --memory allows. Throws a usage error if it has no
  /// room for one, or a device cannot reduce groups, and DeviceError if a device lacks memory.
  GroupWork(const GroupTask& task, binding::RankDevices& devices);

  /// The next pass counts the groups with keys in `requested`, or is about order statistics, if
  /// `request` has any.
  void set_pass(const GroupItems& items, const KeyRange& requested,
                statistics::GroupRequest request) {
    items_ = items.list();
    requested_ = requested;
    request_ = std::move(request);
  }

  std::int64_t items() const override { return std::ssize(items_); }
  std::optional<base::Bytes> reduce(std::int64_t item, int lane) override;

 private:
  void begin_item(const PieceRange& range, GroupLane& lane, GroupResult& result);
  /// Adds the elements of the first piece. Returns how many of them are done then: all, or fewer if
  /// the groups become too many.
  std::int64_t add_piece(const PieceRange& range, GroupLane& lane, GroupResult& result);
  /// The same of some elements, from `first` on.
  std::int64_t add(std::span<const std::byte> elements,
                   std::span<const std::span<const std::byte>> keys, std::int64_t first,
                   const statistics::Indexing& indexing, GroupLane& lane, GroupResult& result);
  /// The same of `count` elements from `first` on, of which some may be missing. Returns how many
  /// are done.
  std::size_t add_present(std::span<const std::byte> elements,
                          std::span<const std::span<const std::byte>> keys, std::size_t first,
                          std::size_t count, const statistics::Indexing& indexing, GroupLane& lane,
                          GroupResult& result);
  /// Adds `some` elements, whose keys begin at `first`. Returns how many are done.
  std::size_t add_some(std::span<const std::byte> some,
                       std::span<const std::span<const std::byte>> keys, std::size_t first,
                       const statistics::Indexing& indexing, GroupLane& lane, GroupResult& result);
  /// Keys of the groups of `count` elements from `first` on, and their places, to the lane. Where
  /// nobody needs places, they are 0, or absent in a pass that counts.
  void encode(std::span<const std::span<const std::byte>> keys, std::size_t first,
              std::size_t count, const statistics::Indexing& indexing, GroupLane& lane,
              GroupResult& result);

  double read_s() const override { return total_read_s(lanes_); }
  std::vector<report::DeviceMemory> device_memory() const override {
    return memory_of(devices_, lanes_);
  }
  bool restart(int lane) override {
    return lanes_[static_cast<std::size_t>(lane)].reducer->restart();
  }

  const GroupTask& task_;
  bool order_needs_places_;  ///< of elements, for argtopk
  std::vector<GroupLane> lanes_;
  std::vector<PieceRange> items_;
  KeyRange requested_;
  statistics::GroupRequest request_;
  std::atomic<bool> has_bad_key_ = false;  ///< the other items are of no use
};

}  // namespace tessera::reduce
