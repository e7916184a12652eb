#include "statistics/order/sort_members.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

namespace tessera::statistics {

namespace {

/// Bits of a pass: its counts are in the first cache.
constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
/// So few members are compared with each other instead.
constexpr std::size_t kFewMembers = 2 * kDigits;

/// Stable, by one digit of the groups' distances from `first`.
void sort_by_digit(const std::vector<GroupMember>& from, GroupKey first, int shift,
                   std::vector<GroupMember>& to) {
  std::array<std::size_t, kDigits> ends{};
  const auto digit = [&](const GroupMember& member) {
    return static_cast<std::size_t>((member.group - first) >> shift) % kDigits;
  };
  for (const GroupMember& member : from) ++ends[digit(member)];
  std::size_t all = 0;
  for (std::size_t& end : ends) all += std::exchange(end, all);
  for (const GroupMember& member : from) to[ends[digit(member)]++] = member;
}

}  // namespace

void sort_members(std::vector<GroupMember>& members) {
  if (members.size() <= kFewMembers) {
    std::ranges::stable_sort(members, {}, &GroupMember::group);
    return;
  }
  const auto [least, greatest] = std::ranges::minmax_element(members, {}, &GroupMember::group);
  const GroupKey first = least->group;
  const auto bits = static_cast<int>(std::bit_width(greatest->group - first));
  std::vector<GroupMember> other(members.size());
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    sort_by_digit(members, first, shift, other);
    members.swap(other);
  }
}

}  // namespace tessera::statistics
