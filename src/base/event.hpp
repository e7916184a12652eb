// Wakes the MPI thread when another thread has work for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tessera::base {

class Event {
 public:
  void notify() {
    std::scoped_lock lock(mutex_);
    set_ = true;
    changed_.notify_one();
  }

  /// Blocks until notify() was called since the last wait, or `timeout` has passed.
  void wait_for(std::chrono::microseconds timeout) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [&] { return set_; });
    set_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

}  // namespace tessera::base
