// A queue between two stages, bounded by weight (bytes). A slow stage so slows the one before it
// instead of filling memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace tessera::base {

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Blocks while the queue is full; an item heavier than the capacity enters an empty queue. Drops
  /// the item and returns false if the queue is closed.
  bool push(T item, std::size_t weight) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return closed_ || items_.empty() || weight_ + weight <= capacity_; });
    if (closed_) return false;
    weight_ += weight;
    items_.emplace_back(std::move(item), weight);
    filled_.notify_one();
    return true;
  }

  /// Never blocks. For a thread that must not wait: it asks full() first, so that the queue exceeds
  /// its capacity by at most one item.
  bool push_over(T item, std::size_t weight) {
    std::scoped_lock lock(mutex_);
    if (closed_) return false;
    weight_ += weight;
    items_.emplace_back(std::move(item), weight);
    filled_.notify_one();
    return true;
  }

  bool full() const {
    std::scoped_lock lock(mutex_);
    return weight_ >= capacity_;
  }

  /// Blocks until there is an item; nothing once the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [&] { return closed_ || !items_.empty(); });
    return take();
  }

  /// The next item if there is one now.
  std::optional<T> try_pop() {
    std::scoped_lock lock(mutex_);
    return take();
  }

  /// Refuses further pushes; pop() still returns the queued items.
  void close() {
    std::scoped_lock lock(mutex_);
    closed_ = true;
    room_.notify_all();
    filled_.notify_all();
  }

  /// Drops all queued items and refuses further ones: for an aborted run.
  void abandon() {
    std::scoped_lock lock(mutex_);
    items_.clear();
    weight_ = 0;
    closed_ = true;
    room_.notify_all();
    filled_.notify_all();
  }

  bool empty() const {
    std::scoped_lock lock(mutex_);
    return items_.empty();
  }

 private:
  std::optional<T> take() {  // mutex_ is held
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front().first));
    weight_ -= items_.front().second;
    items_.pop_front();
    room_.notify_all();
    return item;
  }

  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable filled_;
  std::deque<std::pair<T, std::size_t>> items_;
  std::size_t capacity_;
  std::size_t weight_ = 0;
  bool closed_ = false;
};

}  // namespace tessera::base
