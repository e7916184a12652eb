#include "statistics/order/group_order.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

#include "statistics/order/order_answers.hpp"
#include "statistics/order/weighted_passes.hpp"
#include "statistics/output_values.hpp"

namespace tessera::statistics {

namespace {

/// Limits of the search in a large group: bins, and keys that are collected at a time.
constexpr std::uint64_t kBinsBytes = std::uint64_t{8} << 16;
// crossed by: test_of_groups_that_are_collected_and_that_are_not
constexpr std::uint64_t kMaxLargeKeys = std::uint64_t{1} << 16;
/// The same where values are counted.
// crossed by: test_of_groups_that_are_collected_and_that_are_not
constexpr std::uint64_t kMaxCountedKeys = std::uint64_t{1} << 20;

bool counts_values(const job::ReduceJob& job) {
  return wants(job, job::Operation::mode) || wants(job, job::Operation::nunique);
}

/// Of a search in a large group.
std::uint64_t search_bytes(const job::ReduceJob& job) {
  if (job.weights) return kMaxWeightBins * sizeof(WeightSum) + kMaxLargeKeys * sizeof(WeightedKey);
  return kBinsBytes + sizeof(ElementKey) * (counts_values(job) ? kMaxCountedKeys : kMaxLargeKeys);
}

WeightedPasses weighted_passes_of_group(const job::ReduceJob& job) {
  return {job, kMaxLargeKeys};
}

OrderPasses passes_of_group(const job::ReduceJob& job, base::ElementType type,
                            std::int64_t elements) {
  return {job, type, elements, counts_values(job) ? kMaxCountedKeys : kMaxLargeKeys};
}

/// Where groups are among the large ones of a request.
class LargeGroups {
 public:
  /// `elements`: whose groups will be asked for.
  LargeGroups(std::span<const GroupKey> sorted, std::size_t elements) : sorted_(sorted) {
    const GroupKey most = std::min<GroupKey>(kMaxPlaces, elements);
    if (sorted.empty() || sorted.back() - sorted.front() >= most) return;
    places_.assign(static_cast<std::size_t>(sorted.back() - sorted.front()) + 1, kNone);
    for (std::size_t i = 0; i < sorted.size(); ++i) places_[sorted[i] - sorted.front()] = i;
  }

  /// kNone if the group is not large.
  std::size_t find(GroupKey group) const {
    if (!places_.empty()) {
      const GroupKey offset = group - sorted_.front();
      return offset < places_.size() ? places_[offset] : kNone;
    }
    const auto found = std::ranges::lower_bound(sorted_, group);
    const bool there = found != sorted_.end() && *found == group;
    return there ? static_cast<std::size_t>(found - sorted_.begin()) : kNone;
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

 private:
  /// A table of so many keys is in the second-level cache. It saves a search for each element.
  // crossed by: test_order_statistics_go_on_after_any_kill,
  // test_of_groups_that_are_collected_and_that_are_not
  static constexpr GroupKey kMaxPlaces = GroupKey{1} << 14;

  std::span<const GroupKey> sorted_;
  std::vector<std::size_t> places_;  ///< by the distance from the first key; empty for a search
};

void add_to_tally(ElementKey key, std::int64_t place, base::ElementType type,
                  const NumberKeys& numbers, const KeyRequest& request, KeyTally& tally) {
  const bool number = numbers.contain(key);
  if (request.top > 0 && (number || request.top_nans)) {
    const ElementKey order = number ? unsigned_zero_key(key, type) : TopElement::kNan;
    tally.top.add({order, place, key});
  }
  if (number) tally.add(key, request);
}

/// The place holder of a value that the group does not have.
Value missing_value(const AnswerType& result) {
  if (base::is_floating(result.type)) return {"nan", std::numeric_limits<double>::quiet_NaN()};
  return {result.operation == job::Operation::argtopk ? "-1" : "0", {}};
}

OrderFindings find_weighted_in_group(const WeightedPasses& passes,
                                     std::span<const GroupMember> of_group, const Partial& counts) {
  std::vector<WeightedKey> keys;
  keys.reserve(of_group.size());
  for (const GroupMember& member : of_group) {
    keys.push_back({member.key, std::bit_cast<double>(member.place)});
  }
  return passes.find_in(keys, counts);
}

OrderFindings find_in_group(const OrderPasses& passes, std::span<const GroupMember> of_group,
                            Partial& counts) {
  std::vector<GroupMember> by_place;
  std::span<const GroupMember> members = of_group;
  if (passes.top() > 0) {
    by_place.assign(of_group.begin(), of_group.end());
    std::ranges::sort(by_place);
    members = by_place;
  }
  std::vector<ElementKey> keys;
  keys.reserve(members.size());
  for (const GroupMember& member : members) keys.push_back(member.key);
  OrderFindings found = passes.find_in(keys, counts);
  for (TopElement& top : found.top) {
    top.index = members[static_cast<std::size_t>(top.index)].place;
  }
  return found;
}

/// Removes the members of a group, and those of groups before it, from the sorted `rest`.
std::span<const GroupMember> take_group(std::span<const GroupMember>& rest, GroupKey group) {
  const auto first = std::find_if(rest.begin(), rest.end(), [group](const GroupMember& member) {
    return member.group >= group;
  });
  const auto end = std::find_if(
      first, rest.end(), [group](const GroupMember& member) { return member.group != group; });
  rest = {end, rest.end()};
  return {first, end};
}

std::vector<Value> values_of(const AnswerType& result, const job::ReduceJob& job,
                             base::ElementType type, const Partial& counts,
                             const OrderFindings& found) {
  std::vector<Value> values;
  if (counts.elements > 0) values = order_answer(result.operation, job, type, counts, found);
  values.resize(static_cast<std::size_t>(result.values_each), missing_value(result));
  return values;
}

}  // namespace

GroupTally::GroupTally(const GroupRequest& request) {
  large.reserve(request.requests.size());
  for (const KeyRequest& one : request.requests) large.emplace_back(one);
  weighted.reserve(request.weighted.size());
  for (const WeightRequest& one : request.weighted) weighted.emplace_back(one);
}

void GroupTally::add(std::span<const GroupKey> groups, std::span<const std::byte> elements,
                     base::ElementType type, std::span<const std::int64_t> places,
                     const GroupRequest& request) {
  if (request.of_pairs) return add_pairs(groups, elements, request);
  const NumberKeys numbers = number_keys(type);
  const LargeGroups large_groups(request.large, groups.size());
  std::size_t i = 0;
  for_each_key(elements, type, [&](ElementKey key) {
    const GroupKey group = groups[i];
    const std::int64_t place = places[i++];
    const std::size_t number = large_groups.find(group);
    if (number != LargeGroups::kNone) {
      add_to_tally(key, place, type, numbers, request.requests[number], large[number]);
    } else if (group >= request.first && group <= request.last) {
      collected.push_back({group, place, key});
    }
  });
}

void GroupTally::add_pairs(std::span<const GroupKey> groups, std::span<const std::byte> pairs,
                           const GroupRequest& request) {
  const LargeGroups large_groups(request.large, groups.size());
  std::vector<WeightCells> cells;
  for (const WeightRequest& one : request.weighted) cells.emplace_back(one.ranges);
  for_each_weighted(pairs, [&](std::size_t i, double x, double weight) {
    const GroupKey group = groups[2 * i];
    const WeightedKey one{element_key(x), weight};
    const std::size_t number = large_groups.find(group);
    if (number != LargeGroups::kNone) {
      weighted[number].add(one, cells[number], request.weighted[number]);
    } else if (group >= request.first && group <= request.last) {
      collected.push_back({group, std::bit_cast<std::int64_t>(weight), one.key});
    }
  });
}

void GroupTally::merge(GroupTally&& other, const GroupRequest& request) {
  if (large.empty()) large = GroupTally(request).large;
  for (std::size_t i = 0; i < large.size(); ++i) {
    large[i].merge(other.large[i], request.requests[i]);
  }
  if (weighted.empty()) weighted = GroupTally(request).weighted;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    weighted[i].merge(other.weighted[i], request.weighted[i]);
  }
  collected.insert(collected.end(), other.collected.begin(), other.collected.end());
}

void GroupOrder::add_counted(const GroupPartials& groups, std::vector<GroupPartials>& all_large) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; const std::int64_t elements : groups.elements) {
    if (elements > kMaxCollected) {
      numbers.push_back(number);
    } else {
      small_elements += elements;
    }
    ++number;
  }
  if (!numbers.empty()) all_large.push_back(groups.pick(numbers));
}

void GroupOrder::ask(const job::ReduceJob& job, const GroupSpec& group_spec, GroupKey first,
                     GroupKey all_last, std::uint64_t bytes, std::uint64_t copies,
                     std::uint64_t max_members) {
  request = {.of_pairs = job.weights.has_value()};
  tally = {};
  findings.clear();
  is_found = false;
  from = end;
  if (small_elements > 0) bytes /= 2;
  const std::uint64_t bytes_each = copies * search_bytes(job);
  end = from + std::min<std::uint64_t>(large.size() - from,
                                       std::max<std::uint64_t>(1, bytes / bytes_each));
  last = end == large.size() ? all_last : large.keys[end - 1];
  for (std::uint64_t number = from; number < end; ++number) {
    request.large.push_back(large.keys[number]);
    const std::int64_t elements = large.elements[number];
    if (request.of_pairs) {
      request.weighted.push_back(weighted_passes_of_group(job).first({}, elements));
    } else {
      request.requests.push_back(passes_of_group(job, group_spec.spec.type, elements).first({}));
    }
  }
  if (small_elements == 0) return;
  request.first = first;
  request.last = last;
  // A vector that grows touches twice the memory.
  const auto collected = static_cast<std::uint64_t>(small_elements);
  tally.collected.reserve(static_cast<std::size_t>(std::min(collected, max_members)));
}

bool GroupOrder::plan_next_pass(const job::ReduceJob& job, const GroupSpec& group_spec) {
  GroupRequest next{.of_pairs = request.of_pairs};
  for (std::size_t i = 0; i < request.large.size(); ++i) {
    const GroupKey key = request.large[i];
    const auto number =
        static_cast<std::size_t>(std::ranges::lower_bound(large.keys, key) - large.keys.begin());
    const Partial counts = large.partial(group_spec, number);
    if (next.of_pairs) {
      auto more = weighted_passes_of_group(job).next(request.weighted[i], tally.weighted[i], counts,
                                                     findings[key]);
      if (!more) continue;
      next.large.push_back(key);
      next.weighted.push_back(std::move(*more));
      continue;
    }
    const OrderPasses passes = passes_of_group(job, group_spec.spec.type, counts.elements);
    auto more = passes.next(request.requests[i], tally.large[i], counts, findings[key]);
    if (!more) continue;
    next.large.push_back(key);
    next.requests.push_back(std::move(*more));
  }
  is_found = !next.any();
  if (is_found) return false;
  request = std::move(next);
  tally.large.clear();
  tally.weighted.clear();
  return true;
}

void write_order_answers(std::span<const AnswerType> results, const job::ReduceJob& job,
                         const GroupSpec& group_spec, const GroupPartials& all, GroupSpan groups,
                         const FoundInGroups& found_in,
                         std::span<const std::span<std::byte>> columns) {
  if (groups.first == groups.end) return;
  const base::ElementType type = group_spec.spec.type;
  const OrderPasses passes = passes_of_group(job, type, 0);
  const std::span<const GroupMember> members = found_in.members;
  std::span<const GroupMember> rest(
      std::ranges::lower_bound(members, all.keys[groups.first], {}, &GroupMember::group),
      members.end());
  for (std::size_t group = groups.first; group < groups.end; ++group) {
    Partial counts = all.partial(group_spec, group);
    const std::span<const GroupMember> of_group = take_group(rest, all.keys[group]);
    OrderFindings found;
    if (const auto large = found_in.large->find(all.keys[group]); large != found_in.large->end()) {
      found = large->second;
    } else if (job.weights) {
      found = find_weighted_in_group(weighted_passes_of_group(job), of_group, counts);
    } else {
      found = find_in_group(passes, of_group, counts);
    }
    std::size_t column = 0;
    for (const AnswerType& result : results) {
      if (!is_order_statistic(result.operation)) {
        column += static_cast<std::size_t>(result.values_each);
        continue;
      }
      for (const Value& value : values_of(result, job, type, counts, found)) {
        const std::size_t row = group - groups.first;
        put_value(value, result, &columns[column++][row * base::element_bytes(result.type)]);
      }
    }
  }
}

}  // namespace tessera::statistics
