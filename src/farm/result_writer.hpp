// The thread of a rank that stores results, and its input queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bounded_queue.hpp"
#include "base/clock.hpp"
#include "base/event.hpp"
#include "farm/farm.hpp"
#include "farm/messages.hpp"
#include "farm/work.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

/// Accepts only complete results, so that results of two ranks are never mixed. Passes the first
/// result of an item to the sink and drops later ones.
class ResultWriter {
 public:
  /// `wake` is notified when collect() has something new.
  ResultWriter(Sink& sink, const FarmLimits& limits, base::Clock::time_point origin,
               base::Event& wake);
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// Queues all chunks of one item, computed by `rank`; waits while the queue is full.
  void push(int rank, Result result);
  /// As push(), but never waits; check full() before.
  void push_over(int rank, Result result);
  bool full() const { return inbox_.full(); }
  /// Has the sink adopt a part, after what is queued.
  void adopt(std::size_t part) { inbox_.push_over({.adopted = part}, 0); }
  /// Drops the queued results and refuses new ones.
  void abandon() { inbox_.abandon(); }

  struct Events {
    std::vector<StoredItem> stored;
    std::int64_t again = 0;  ///< results that were dropped, because the item was stored already
    std::vector<std::size_t> adopted;  ///< parts, with what was stored in them
    /// Parts that could not be adopted, and why.
    std::vector<std::pair<std::size_t, std::string>> unadopted;
    std::string failure;  ///< message of the exception thrown by the sink, or ""
  };
  /// Events since the last call.
  Events collect();
  /// Stores the queued results, ends the thread and returns its report. The sink is closed if the
  /// farm `is_complete`.
  report::ThreadReport finish(bool is_complete = false);

 private:
  struct Received {
    int rank = 0;
    Result result{};
    std::optional<std::size_t> adopted{};  ///< no result, but a part to adopt
  };
  void run();
  void store(Received received);
  void take_over(std::size_t part);
  bool note(std::int64_t item);

  Sink& sink_;
  base::Event& wake_;
  base::Clock::time_point origin_;
  bool trace_;
  base::BoundedQueue<Received> inbox_;
  std::atomic<bool> is_complete_ = false;
  std::vector<bool> answered_;  ///< by item; used only by the thread, which makes it longer
  std::mutex mutex_;            ///< guards events_
  Events events_;
  report::ThreadReport report_;
  std::thread thread_;
};

}  // namespace tessera::farm
