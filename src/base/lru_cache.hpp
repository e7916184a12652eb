// A cache of bounded size: what was not used for longest goes first.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

namespace tessera::base {

/// Any thread may use it. Whoever got a value may use it for as long as he wants.
template <class Key, class Value>
class LruCache {
 public:
  using Pointer = std::shared_ptr<Value>;
  /// The part of the bound that a value takes, such as its bytes.
  using Weight = std::function<std::size_t(const Value&)>;

  /// The newest value is kept, however heavy it is. Without `weight`, values are counted.
  explicit LruCache(
      std::size_t max_weight, Weight weight = [](const Value&) { return std::size_t{1}; })
      : max_weight_(max_weight), weight_(std::move(weight)) {}

  /// Null if the cache lacks it.
  Pointer find(const Key& key) {
    const std::scoped_lock lock(mutex_);
    return use(key);
  }
  /// The value last used of those for which fits(value) holds; null if there is none.
  template <class Fits>
  Pointer find_if(const Fits& fits) {
    const std::scoped_lock lock(mutex_);
    const auto found =
        std::ranges::find_if(entries_, [&](const Entry& entry) { return fits(*entry.value); });
    return found == entries_.end() ? nullptr : use(found);
  }
  /// The value of the key. If the cache lacks it, make() is called, by one thread at a time, and
  /// the others that want this key wait. Null is not kept.
  template <class Make>
  Pointer get(const Key& key, const Make& make) {
    {
      std::unique_lock lock(mutex_);
      made_.wait(lock, [&] { return !making_.contains(key); });
      if (Pointer known = use(key)) return known;
      making_.insert(key);
    }
    const Making making{*this, key};
    Pointer value = make();
    if (value) put(key, value);
    return value;
  }
  /// A key that is known keeps its value.
  void put(const Key& key, Pointer value) {
    const std::scoped_lock lock(mutex_);
    const std::size_t weight = weight_(*value);
    if (by_key_.contains(key)) return;
    entries_.push_front({key, std::move(value), weight});
    by_key_.emplace(key, entries_.begin());
    weight_sum_ += weight;
    shrink();
  }
  void set_max_weight(std::size_t max_weight) {
    const std::scoped_lock lock(mutex_);
    max_weight_ = max_weight;
    shrink();
  }
  void clear() {
    const std::scoped_lock lock(mutex_);
    by_key_.clear();
    entries_.clear();
    weight_sum_ = 0;
  }

 private:
  struct Entry {
    Key key;
    Pointer value;
    std::size_t weight;
  };
  using Entries = std::list<Entry>;
  struct Making {
    LruCache& cache;
    const Key& key;
    ~Making() {
      const std::scoped_lock lock(cache.mutex_);
      cache.making_.erase(key);
      cache.made_.notify_all();
    }
  };

  // These require mutex_.
  Pointer use(const Key& key) {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : use(found->second);
  }
  Pointer use(typename Entries::iterator entry) {
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->value;
  }
  void shrink() {
    while (weight_sum_ > max_weight_ && entries_.size() > 1) {
      weight_sum_ -= entries_.back().weight;
      by_key_.erase(entries_.back().key);
      entries_.pop_back();
    }
  }

  std::size_t max_weight_;
  Weight weight_;
  std::mutex mutex_;
  std::condition_variable made_;
  std::size_t weight_sum_ = 0;
  Entries entries_;  ///< last used first
  std::map<Key, typename Entries::iterator> by_key_;
  std::set<Key> making_;
};

}  // namespace tessera::base
