// The gather rank's thread that stores results, and the queue in front of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bounded_queue.hpp"
#include "base/clock.hpp"
#include "base/event.hpp"
#include "farm/farm.hpp"
#include "farm/work.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

/// Takes whole results, so that those of two ranks are never mixed; the first one of an item goes
/// to the sink, later ones are dropped.
class ResultWriter {
 public:
  /// `wake` is notified whenever collect() has something new.
  ResultWriter(Sink& sink, std::int64_t items, const FarmLimits& limits,
               base::Clock::time_point origin, base::Event& wake);
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// All parcels of one item, made by `rank`; waits while the queue is full.
  void push(int rank, Result result);
  /// Never waits; ask full() first.
  void push_over(int rank, Result result);
  bool full() const { return inbox_.full(); }
  /// Drops what is queued and refuses what comes.
  void abandon() { inbox_.abandon(); }

  struct Stored {
    int rank = 0;  ///< whose result it was
    std::int64_t item = 0;
  };
  struct Events {
    std::vector<Stored> stored;
    std::vector<Stored> again;  ///< dropped: there was one already
    std::string failure;        ///< what the sink threw, or ""
  };
  /// What happened since the last call.
  Events collect();
  /// Stores what is queued, ends the thread and tells what it did.
  report::ThreadReport finish();

 private:
  struct Received {
    int rank = 0;
    Result result;
  };
  void run();
  void store(Received received);

  Sink& sink_;
  base::Event& wake_;
  base::Clock::time_point origin_;
  bool trace_;
  base::BoundedQueue<Received> inbox_;
  std::vector<bool> answered_;  ///< by item; of the thread alone
  std::mutex mutex_;            ///< guards the news
  Events events_;
  report::ThreadReport report_;
  std::thread thread_;
};

}  // namespace tessera::farm
