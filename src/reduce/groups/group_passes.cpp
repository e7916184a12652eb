#include "reduce/groups/group_passes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::reduce {
namespace {

/// Seconds of the gather rank for a group that is stored and merged, and of a lane for an element
/// that has no group of the pass, besides reading it. Measured on a Zen 5;
/// docs/benchmarks/2026-11-groups.md.
// crossed by: HaveRoomForTheirGroups, AreNotWorthManyReadingsOrSlowOnes
constexpr double kStoredSeconds = 250e-9;
constexpr double kDroppedSeconds = 8e-9;
/// Times that a group is stored, because merges write some once more.
// crossed by: HaveRoomForTheirGroups, AreNotWorthManyReadingsOrSlowOnes
constexpr double kStoredTimes = 1.8;
/// More passes read so much more than they store that the guess is not worth it.
// crossed by: HaveRoomForTheirGroups, AreNotWorthManyReadingsOrSlowOnes
constexpr double kMaxPasses = 64;
/// Part of the room that a pass should fill, because the number of groups is a guess.
// crossed by: HaveRoomForTheirGroups, AreNotWorthManyReadingsOrSlowOnes
constexpr double kFilled = 0.8;

/// How many groups there are, from those with one and with two elements so far (A. Chao, 1984,
/// "Nonparametric estimation of the number of classes in a population"). Too few if the elements so
/// far are not like the others.
double guess_groups(const statistics::GroupPartials& some, std::int64_t all_elements) {
  const auto with = [&](std::int64_t elements) {
    return static_cast<double>(std::ranges::count(some.elements, elements));
  };
  const double ones = with(1);
  const double unseen = ones * ones / (2 * std::max(1.0, with(2)));
  return std::min(static_cast<double>(all_elements), static_cast<double>(some.size()) + unseen);
}

}  // namespace

bool PassPlan::is_slower_than_storing(const PassCosts& costs) const {
  if (ends.empty()) return true;
  if (stored_bytes > costs.disk_bytes) return false;
  if (costs.read_s == 0) return true;
  const double read_again = static_cast<double>(ends.size()) * (costs.read_s + kDroppedSeconds);
  return read_again / costs.lanes > stored_each * kStoredSeconds;
}

PassPlan plan_passes(const statistics::GroupPartials& some, const PassLimits& room,
                     std::uint64_t disk_bytes) {
  PassPlan plan;
  if (some.size() < 2) return plan;
  const double groups = guess_groups(some, room.elements);
  const double key_range = static_cast<double>(some.keys.back() - some.keys.front()) + 1;
  const double all = static_cast<double>(some.size());
  const double weight = 1 + static_cast<double>(some.accumulator_bytes()) /
                                (all * static_cast<double>(room.bytes_each));
  const double each = kFilled / weight *
                      std::max(static_cast<double>(room.groups),
                               static_cast<double>(room.keys) * groups / key_range);
  const double passes = std::ceil(groups / std::max(1.0, each));
  const auto elements =
      std::accumulate(some.elements.begin(), some.elements.end(), std::int64_t{0});
  plan.stored_each = weight * all / static_cast<double>(elements);
  plan.stored_bytes = kStoredTimes * static_cast<double>(disk_bytes) *
                      static_cast<double>(room.elements) / static_cast<double>(elements);
  if (passes > kMaxPasses) return plan;
  for (int pass = 1; pass < static_cast<int>(passes); ++pass) {
    const auto end = static_cast<std::size_t>(all * pass / passes);
    const statistics::GroupKey key = some.keys[std::max<std::size_t>(1, end) - 1];
    if (plan.ends.empty() || key > plan.ends.back()) plan.ends.push_back(key);
  }
  return plan;
}

}  // namespace tessera::reduce
