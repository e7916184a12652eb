// Bounds the work that requests do at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "base/stop_token.hpp"
#include "view/http/target.hpp"

namespace tessera::view {

/// Lets `most` threads work and `max_waiting` more wait for them, in the order in which they came:
/// newcomers would make others wait several times as long. Any thread may use it.
class WorkGate {
 public:
  WorkGate(int most, int max_waiting) : free_(most), max_waiting_(max_waiting) {}

  /// A thread's permission to work.
  class Pass {
   public:
    /// Blocks until it is this thread's turn. Throws HttpError 429 if too many wait, and 503 once
    /// the client of the request has gone.
    explicit Pass(WorkGate& gate, const base::StopToken* gone = nullptr) : gate_(gate) {
      gate_.enter(gone);
    }
    ~Pass() { gate_.leave(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    WorkGate& gate_;
  };

  /// Threads that wait.
  int waiting() {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(waiting_.size());
  }

 private:
  struct Turn {
    std::condition_variable changed;
    bool come = false;
  };

  void enter(const base::StopToken* gone) {
    constexpr std::chrono::milliseconds kLook{50};
    std::unique_lock lock(mutex_);
    if (free_ > 0) {
      --free_;
      return;
    }
    if (static_cast<int>(waiting_.size()) == max_waiting_) {
      throw HttpError(429, "too many requests wait; ask again later");
    }
    Turn turn;
    waiting_.push_back(&turn);
    while (!turn.changed.wait_for(lock, kLook, [&] { return turn.come; })) {
      if (gone == nullptr || !gone->requested()) continue;
      std::erase(waiting_, &turn);
      throw HttpError(503, "the client has gone");
    }
  }
  void leave() {
    const std::scoped_lock lock(mutex_);
    if (waiting_.empty()) {
      ++free_;
      return;
    }
    Turn& next = *waiting_.front();
    waiting_.pop_front();
    next.come = true;
    next.changed.notify_one();
  }

  std::mutex mutex_;
  std::deque<Turn*> waiting_;  ///< nobody waits while a place is free
  int free_;
  int max_waiting_;
};

}  // namespace tessera::view
