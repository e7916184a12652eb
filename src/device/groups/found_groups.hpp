// The groups that a reducer has found, with their partial results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "device/group_reducer.hpp"
#include "device/groups/group_index.hpp"
#include "statistics/group_partials.hpp"

namespace tessera::device {

class FoundGroups {
 public:
  /// Keys that one call of choose() takes at most.
  // crossed by: group_parity_test.of_every_type
  static constexpr std::size_t kMaxKeys = 1024;
  /// Groups that may get accumulators from elements that wait; is_full() does not count these.
  // crossed by: end_where_accumulators_are_too_many
  static constexpr std::size_t kMaxOutside = 1024;

  explicit FoundGroups(const statistics::ReductionSpec& spec)
      : spec_(spec), bytes_each_(statistics::GroupPartials::bytes_each(spec)) {}

  void begin(const GroupScope& scope);
  /// Numbers the groups of the requested keys in `groups`, and writes the indices of these keys to
  /// `chosen`. Returns how many they are.
  std::size_t choose(std::span<const statistics::GroupKey> keys, std::uint16_t* chosen,
                     std::uint32_t* groups);

  const GroupScope& scope() const { return scope_; }
  std::size_t count() const { return index_.groups(); }
  /// By the numbers of groups, without keys. Groups found since the last call are added first.
  statistics::GroupPartials& partials();

  /// Whether so many elements outside of the window may wait before they are added.
  bool may_defer(std::size_t outside) const;
  /// Whether there are as many groups as the scope allows.
  bool is_full() const { return are_enough_with(0); }
  /// As GroupReducer::finish().
  statistics::GroupPartials finish();

 private:
  bool are_enough_with(std::size_t more_bytes) const;

  statistics::ReductionSpec spec_;
  std::size_t bytes_each_;  ///< bytes of a group
  GroupScope scope_;
  GroupIndex index_;
  statistics::GroupPartials all_;
  std::array<statistics::GroupKey, kMaxKeys> requested_{};
};

}  // namespace tessera::device
