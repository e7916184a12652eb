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
// crossed by: test_of_groups_that_are_collected_and_that_are_not
inline constexpr std::int64_t kMaxCollected = std::int64_t{1} << 14;

/// The same on all ranks.
struct GroupRequest {
  /// The groups with these keys are collected, but for the large ones; none if `last` < `first`.
  GroupKey first = 1;
  GroupKey last = 0;
  std::vector<GroupKey> large;  ///< sorted
  std::vector<KeyRequest> requests;
  bool of_pairs = false;                ///< elements are numbers and weights, one behind the other
  std::vector<WeightRequest> weighted;  ///< of pairs, instead of `requests`

  bool collects() const { return first <= last; }
  bool any() const { return collects() || !large.empty(); }
  static auto members(auto& self) {
    return std::tie(self.first, self.last, self.large, self.requests, self.of_pairs, self.weighted);
  }
};

struct GroupTally {
  GroupTally() = default;
  explicit GroupTally(const GroupRequest& request);

  /// Adds elements of `type` with the keys of their groups and their places.
  void add(std::span<const GroupKey> groups, std::span<const std::byte> elements,
           base::ElementType type, std::span<const std::int64_t> places,
           const GroupRequest& request);
  /// `other` answers the same request.
  void merge(GroupTally&& other, const GroupRequest& request);

  std::vector<GroupMember> collected;  ///< of pairs with the bits of their weights as places
  // Findings for the request; the second ones of pairs.
  std::vector<KeyTally> large;
  std::vector<WeightTally> weighted;

  static auto members(auto& self) { return std::tie(self.collected, self.large, self.weighted); }

 private:
  void add_pairs(std::span<const GroupKey> groups, std::span<const std::byte> pairs,
                 const GroupRequest& request);
};

/// The search in all groups: the large ones, as many at a time as there is memory for, and together
/// with them the smaller ones with keys up to theirs.
struct GroupOrder {
  GroupPartials large;              ///< all large groups
  std::int64_t small_elements = 0;  ///< elements of all other groups
  // The current part of the search.
  std::uint64_t from = 0;  ///< large groups from this one
  std::uint64_t end = 0;   ///< to before this one
  GroupKey last = 0;       ///< all groups up to this key
  GroupRequest request;
  GroupTally tally;  ///< tally of the request, so far
  std::map<GroupKey, OrderFindings> findings;
  bool is_found = false;  ///< the request is answered; there is nothing more to ask

  /// Takes the large groups among those that were counted.
  void add_counted(const GroupPartials& groups, std::vector<GroupPartials>& all_large);
  /// Asks for the groups with keys in `first` to `last`, or for the first ones of these if the
  /// large groups among them need more than `bytes`, half of that if elements are collected beside
  /// them. `copies`: of a tally that exist at a time; `max_members`: that the tally holds at a
  /// time.
  void ask(const job::ReduceJob& job, const GroupSpec& group_spec, GroupKey first, GroupKey last,
           std::uint64_t bytes, std::uint64_t copies, std::uint64_t max_members);
  /// Called after a pass. Returns whether these groups need another one.
  bool plan_next_pass(const job::ReduceJob& job, const GroupSpec& group_spec);

  static auto members(auto& self) {
    return std::tie(self.large, self.small_elements, self.from, self.end, self.last, self.request,
                    self.tally, self.findings, self.is_found);
  }
};

/// Findings in groups.
struct FoundInGroups {
  std::span<const GroupMember> members;  ///< members of groups that were collected, sorted by group
  const std::map<GroupKey, OrderFindings>* large = nullptr;
};

/// Writes the answers of the order statistics among `results` for some groups of `all`. `columns`:
/// of all results, one for each value, each from the first of these groups on.
void write_order_answers(std::span<const AnswerType> results, const job::ReduceJob& job,
                         const GroupSpec& group_spec, const GroupPartials& all, GroupSpan groups,
                         const FoundInGroups& found, std::span<const std::span<std::byte>> columns);

}  // namespace tessera::statistics
