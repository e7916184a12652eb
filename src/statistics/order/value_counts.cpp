#include "statistics/order/value_counts.hpp"

#include <algorithm>

namespace tessera::statistics {

namespace {

// crossed by: CountsValuesInAsManyPassesAsTheTableNeeds
constexpr std::size_t kFirstSlots = 1024;

}  // namespace

std::vector<ValueCounts::Entry> ValueCounts::entries() const {
  std::vector<Entry> entries;
  entries.reserve(size_);
  for (const Entry& entry : table_) {
    if (entry.count != 0) entries.push_back(entry);
  }
  return entries;
}

void ValueCounts::rebuild(std::size_t slots, const std::vector<Entry>& entries) {
  table_.assign(slots, {});
  size_ = entries.size();
  for (const Entry& entry : entries) find(entry.key) = entry;
}

void ValueCounts::grow() {
  if (size_ < most_) return rebuild(std::max(kFirstSlots, 2 * table_.size()), entries());
  std::vector<Entry> all = entries();
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle, {}, &Entry::key);
  forget(middle == all.begin() ? 0 : (middle - 1)->key);
}

void ValueCounts::forget(ElementKey last) {
  last_ = last;
  std::vector<Entry> kept = entries();
  std::erase_if(kept, [last](const Entry& entry) { return entry.key > last; });
  rebuild(table_.size(), kept);
}

void ValueCounts::merge(const ValueCounts& other) {
  if (other.last_ < last_) forget(other.last_);
  for (const Entry& entry : other.table_) {
    if (entry.count != 0) add(entry.key, entry.count);
  }
}

void ValueCounts::read(base::ByteReader& from) {
  from.read(most_);
  from.read(last_);
  const auto all = from.get<std::vector<Entry>>();
  std::size_t slots = kFirstSlots;
  while (slots < 2 * (all.size() + 1)) slots *= 2;
  rebuild(slots, all);
}

}  // namespace tessera::statistics
