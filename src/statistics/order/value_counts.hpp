// How often each value occurs: of as many of the least values as fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "statistics/order/element_key.hpp"

namespace tessera::statistics {

/// A hash table that forgets its greatest keys when it is full. What it holds is complete up to
/// last(), whatever the order of the elements was.
class ValueCounts {
 public:
  struct Entry {
    ElementKey key = 0;
    std::int64_t count = 0;  ///< 0 = free
  };

  /// `most`: entries.
  explicit ValueCounts(std::size_t most = 0) : most_(most) {}

  void add(ElementKey key, std::int64_t count = 1) {
    if (key > last_) return;
    if (2 * (size_ + 1) > table_.size()) grow();
    if (key > last_) return;
    Entry& entry = find(key);
    if (entry.count == 0) ++size_;
    entry = {key, entry.count + count};
  }
  void merge(const ValueCounts& other);
  /// Counts of all keys up to this one are complete.
  ElementKey last() const { return last_; }
  /// In no order.
  std::vector<Entry> entries() const;

  void write(base::ByteWriter& to) const { to.put(most_, last_, entries()); }
  void read(base::ByteReader& from);

 private:
  Entry& find(ElementKey key) {
    // Fibonacci hashing: the upper bits of the product depend on all bits of the key.
    std::size_t at =
        static_cast<std::size_t>((key * 0x9e3779b97f4a7c15) >> 20) & (table_.size() - 1);
    while (table_[at].count != 0 && table_[at].key != key) at = (at + 1) & (table_.size() - 1);
    return table_[at];
  }
  void grow();
  /// Forgets the keys above `last`.
  void forget(ElementKey last);
  void rebuild(std::size_t slots, const std::vector<Entry>& entries);

  std::size_t most_ = 0;
  ElementKey last_ = ~ElementKey{0};
  std::size_t size_ = 0;
  std::vector<Entry> table_;  ///< a power of two, at most half full
};

}  // namespace tessera::statistics
