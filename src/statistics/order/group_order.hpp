// Order statistics of groups: the elements of small groups are collected, those of large groups
// searched pass by pass. What each pass asks for follows from what the pass before has found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "statistics/group_partials.hpp"
#include "statistics/operations.hpp"
#include "statistics/order/order_passes.hpp"
#include "statistics/order/sort_members.hpp"

namespace tessera::statistics {

/// Elements of a group that is collected, at most.
inline constexpr std::int64_t kMostCollected = std::int64_t{1} << 14;

/// The same on all ranks.
struct GroupRequest {
  /// The groups with these keys are collected, but for the large ones; none if `last` < `first`.
  GroupKey first = 1;
  GroupKey last = 0;
  std::vector<GroupKey> large;  ///< sorted
  std::vector<KeyRequest> requests;

  bool any() const { return first <= last || !large.empty(); }
  static auto members(auto& self) {
    return std::tie(self.first, self.last, self.large, self.requests);
  }
};

struct GroupTally {
  GroupTally() = default;
  explicit GroupTally(const GroupRequest& request);

  /// Adds elements of `type` with the keys of their groups and their places.
  void add(std::span<const GroupKey> groups, std::span<const std::byte> elements,
           base::ElementType type, std::span<const std::int64_t> places,
           const GroupRequest& request);
  /// Of the same request.
  void merge(GroupTally&& other, const GroupRequest& request);

  std::vector<GroupMember> collected;
  std::vector<KeyTally> large;  ///< of the request

  static auto members(auto& self) { return std::tie(self.collected, self.large); }
};

/// The search in some groups, those with the numbers from `from` to before `end` of `all`.
struct GroupOrder {
  GroupPartials all;  ///< with the counts of elements
  std::uint64_t from = 0;
  std::uint64_t end = 0;
  GroupRequest request;
  GroupTally tally;  ///< of the request, so far
  std::map<GroupKey, OrderFindings> findings;

  /// Asks for the groups from `end` on whose elements fit into `bytes`, at least for one.
  /// `copies`: of a tally that exist at a time.
  void ask(const job::ReduceJob& job, const GroupSpec& group_spec, std::uint64_t bytes,
           std::uint64_t copies);
  /// Called after a pass. Returns whether these groups need another one.
  bool ask_again(const job::ReduceJob& job, const GroupSpec& group_spec);
  /// Called when they need none: sorts what was collected.
  void sort();

  static auto members(auto& self) {
    return std::tie(self.all, self.from, self.end, self.request, self.tally, self.findings);
  }
};

/// Writes the answers of the order statistics among `results` for some groups of `all`, in which
/// `order` has searched. `columns`: of all results, one for each value, each from the first of
/// these groups on.
void write_order_answers(std::span<const AnswerType> results, const job::ReduceJob& job,
                         const GroupSpec& group_spec, const GroupPartials& all, GroupSpan groups,
                         const GroupOrder& order, std::span<const std::span<std::byte>> columns);

}  // namespace tessera::statistics
