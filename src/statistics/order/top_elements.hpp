// The largest elements of an array, and their indices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/bytes.hpp"
#include "statistics/order/element_key.hpp"

namespace tessera::statistics {

struct TopElement {
  ElementKey order = 0;    ///< that of +0.0 for -0.0; of NaN kNan
  std::int64_t index = 0;  ///< in the array, in C order
  ElementKey key = 0;
  static constexpr ElementKey kNan = ~ElementKey{0};

  /// Among equal elements the one with the lower index comes first.
  friend bool operator<(const TopElement& a, const TopElement& b) {
    return a.order != b.order ? a.order > b.order : a.index < b.index;
  }
};

class TopElements {
 public:
  explicit TopElements(std::int64_t most = 0) : most_(static_cast<std::size_t>(most)) {}

  bool full() const { return heap_.size() == most_; }
  /// Elements of a lower order are not among the largest.
  ElementKey min_order() const { return full() && most_ > 0 ? heap_.front().order : 0; }
  void add(const TopElement& element) {
    if (!full()) {
      heap_.push_back(element);
      std::push_heap(heap_.begin(), heap_.end());
    } else if (most_ > 0 && element < heap_.front()) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = element;
      std::push_heap(heap_.begin(), heap_.end());
    }
  }
  void merge(const TopElements& other) {
    for (const TopElement& element : other.heap_) add(element);
  }
  /// The largest one first.
  std::vector<TopElement> sorted() const {
    std::vector<TopElement> all = heap_;
    std::sort(all.begin(), all.end());
    return all;
  }

  static auto members(auto& self) { return std::tie(self.most_, self.heap_); }

 private:
  std::size_t most_;
  std::vector<TopElement> heap_;  ///< the last of them in front
};

}  // namespace tessera::statistics
