// The groups that a reducer has found, with their partial results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "device/group_index.hpp"
#include "device/group_reducer.hpp"
#include "statistics/group_partials.hpp"

namespace tessera::device {

class FoundGroups {
 public:
  /// Keys that one call of choose() takes at most.
  static constexpr std::size_t kMostKeys = 1024;
  /// Elements outside of the window that should wait at most: are_enough() does not know of them,
  /// and the group of each may need accumulators.
  static constexpr std::size_t kMostOutside = 1024;

  explicit FoundGroups(const statistics::ReductionSpec& spec)
      : spec_(spec), bytes_each_(statistics::GroupPartials::bytes_each(spec)) {}

  void begin(const GroupScope& scope);
  /// Numbers the groups of the wanted keys in `groups`, and writes the indices of these keys to
  /// `chosen`. Returns how many they are.
  std::size_t choose(std::span<const statistics::GroupKey> keys, std::uint16_t* chosen,
                     std::uint32_t* groups);

  const GroupScope& scope() const { return scope_; }
  std::size_t count() const { return index_.groups(); }
  /// By the numbers of groups, without keys. Groups found since the last call are added first.
  statistics::GroupPartials& partials();

  /// Whether there are as many groups as the scope allows.
  bool are_enough() const;
  /// As GroupReducer::finish().
  statistics::GroupPartials finish();

 private:
  statistics::ReductionSpec spec_;
  std::size_t bytes_each_;  ///< of a group
  GroupScope scope_;
  GroupIndex index_;
  statistics::GroupPartials all_;
  std::array<statistics::GroupKey, kMostKeys> wanted_{};
};

}  // namespace tessera::device
