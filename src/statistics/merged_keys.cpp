#include "statistics/merged_keys.hpp"

#include <algorithm>
#include <utility>

namespace tessera::statistics {

namespace {

/// A group of one of several lists.
struct ListedKey {
  GroupKey key;
  std::uint32_t list;
  std::uint32_t number;  ///< in its list
};

/// Merges two sorted lists.
void merge_listed(std::span<const ListedKey> a, std::span<const ListedKey> b, ListedKey* to) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const bool first = a[i].key <= b[j].key;
    *to++ = first ? a[i] : b[j];
    i += first ? 1 : 0;
    j += first ? 0 : 1;
  }
  to = std::copy(a.begin() + static_cast<std::ptrdiff_t>(i), a.end(), to);
  std::copy(b.begin() + static_cast<std::ptrdiff_t>(j), b.end(), to);
}

/// The keys of all lists, sorted.
std::vector<ListedKey> sorted_keys(std::span<const GroupPartials* const> parts) {
  std::vector<ListedKey> all;
  std::vector<std::size_t> ends{0};  // of sorted lists, one behind the other
  for (std::uint32_t list = 0; const GroupPartials* part : parts) {
    for (std::uint32_t number = 0; const GroupKey key : part->keys) {
      all.push_back({key, list, number++});
    }
    ends.push_back(all.size());
    ++list;
  }
  std::vector<ListedKey> other(all.size());
  while (ends.size() > 2) {
    std::vector<std::size_t> fewer{0};
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      const std::size_t end = ends[std::min(i + 2, ends.size() - 1)];
      const std::span<const ListedKey> both(all.data() + ends[i], end - ends[i]);
      const std::size_t half = ends[i + 1] - ends[i];
      merge_listed(both.first(half), both.subspan(half), other.data() + ends[i]);
      fewer.push_back(end);
    }
    all.swap(other);
    ends = std::move(fewer);
  }
  return all;
}

MergedKeys merge_two(std::span<const GroupKey> a, std::span<const GroupKey> b) {
  MergedKeys all;
  std::vector<std::uint32_t> of_a(a.size()), of_b(b.size());
  all.keys.resize(a.size() + b.size());
  std::size_t i = 0, j = 0;
  std::uint32_t count = 0;
  while (i < a.size() && j < b.size()) {
    const GroupKey x = a[i], y = b[j];
    all.keys[count] = std::min(x, y);
    of_a[i] = of_b[j] = count++;  // the one that does not move on is overwritten
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  for (; i < a.size(); ++i) all.keys[of_a[i] = count++] = a[i];
  for (; j < b.size(); ++j) all.keys[of_b[j] = count++] = b[j];
  all.keys.resize(count);
  all.positions = {std::move(of_a), std::move(of_b)};
  return all;
}

}  // namespace

MergedKeys merge_keys(std::span<const GroupPartials* const> parts) {
  if (parts.size() == 2) return merge_two(parts[0]->keys, parts[1]->keys);
  MergedKeys all;
  for (const GroupPartials* part : parts) all.positions.emplace_back(part->size());
  for (const ListedKey& listed : sorted_keys(parts)) {
    if (all.keys.empty() || all.keys.back() != listed.key) all.keys.push_back(listed.key);
    all.positions[listed.list][listed.number] = static_cast<std::uint32_t>(all.keys.size() - 1);
  }
  return all;
}

}  // namespace tessera::statistics
