// The interface of reductions of groups on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/reducer.hpp"
#include "statistics/group_partials.hpp"
#include "statistics/order/group_order.hpp"

namespace tessera::device {

/// Which groups are requested, and what is known of their keys.
struct GroupScope {
  statistics::GroupKey first = 0;
  statistics::GroupKey last = statistics::kLastKey;
  /// Most keys are at least `dense_first` and less than `dense_first` + `dense_count`; 0 = unknown.
  statistics::GroupKey dense_first = 0;
  std::size_t dense_count = 0;
  /// Beyond about as many groups, no elements are added.
  std::size_t max_groups = 0;
  /// How many elements a reducer may keep before it adds them.
  std::size_t max_waiting = std::size_t{1} << 20;
};

/// Driven by one thread.
class GroupReducer : public ElementReducer {
 public:
  virtual void begin(const GroupScope& scope) = 0;
  /// Adds elements of the spec's type, each to the group of its key. `places`: their indices in the
  /// array, empty if the spec asks for none. Returns how many were added: fewer than there are if
  /// the groups are too many. After finish() and begin(), there is room for others.
  virtual std::size_t add(std::span<const statistics::GroupKey> keys,
                          std::span<const std::byte> elements,
                          std::span<const std::int64_t> places) = 0;
  /// The groups since begin() that have elements, sorted by key.
  virtual statistics::GroupPartials finish() = 0;

  /// Begins a part of a pass for order statistics. False if the device has no room for the request,
  /// or is no faster than tally.add(). The request must not change until end_tally().
  virtual bool begin_tally(const statistics::GroupRequest&) { return false; }
  /// As tally.add(), if begin_tally() returned true. What is added may be missing in `tally` until
  /// end_tally().
  virtual void tally(std::span<const statistics::GroupKey>, std::span<const std::byte>,
                     std::span<const std::int64_t> /*places*/, statistics::GroupTally&) {}
  virtual void end_tally(statistics::GroupTally&) {}
};

}  // namespace tessera::device
