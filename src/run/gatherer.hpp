// The gather rank's half of a farm: grants items, receives parcels, has a thread store them.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bounded_queue.hpp"
#include "base/event.hpp"
#include "comm/world.hpp"
#include "plan/dealer.hpp"
#include "run/farm.hpp"
#include "run/farm_message.hpp"

namespace tessera::run {

/// Lives on the gather rank's MPI thread; only deliver() and the writer thread are elsewhere.
class Gatherer {
 public:
  /// `wake` is notified whenever step() has something new to do.
  Gatherer(comm::World& world, Gather& gather, const FarmLimits& limits, base::Event& wake);
  ~Gatherer();
  Gatherer(const Gatherer&) = delete;
  Gatherer& operator=(const Gatherer&) = delete;

  /// A parcel made on this rank; called by worker threads, blocks while the inbox is full.
  void deliver(Parcel parcel);
  /// Items for this rank's own workers; may be empty.
  std::vector<std::int64_t> take_local(int lanes) {
    return dealer_.deal(world_.rank(), lanes, now_s());
  }
  /// Until everything is done, as far as is known.
  double seconds_left() const { return dealer_.seconds_left(now_s()); }
  /// A rank has no lane left, because of `why`, and gives these items back. The farm fails when it
  /// was the last one.
  void retire(int rank, const std::string& host, const std::vector<std::int64_t>& items,
              const std::string& why);
  /// This run is asked to stop before it is done.
  void halt(const std::string& why);
  /// A worker of this rank failed.
  void fail(int rank, const std::string& host, const std::string& text);

  /// Everything there is to do now; true if anything was done.
  bool step();
  /// All items are stored, or the farm has failed: local workers should end.
  bool stopped() const { return stopped_; }
  bool failed() const { return !failure_.empty(); }
  /// Every other rank has left: nothing more will come.
  bool all_left() const { return left_ == world_.size() - 1; }
  const std::string& failure() const { return failure_; }
  /// Asked to stop, and something was left to do: who asked, or "".
  std::string halted() const { return gather_.schedule.complete() ? "" : halted_; }
  /// Joins the writer and tells what it did. Call when all_left() and the local workers ended.
  report::ThreadReport finish();

 private:
  double now_s() const { return base::seconds_between(origin_, base::Clock::now()); }
  void write_parcels();
  void fail(const std::string& text);
  bool receive_control();
  bool receive_bulk();
  bool collect_stored();
  bool serve_hungry();
  void stop(Verb verb);

  comm::World& world_;
  Gather& gather_;
  base::Event& wake_;
  base::Clock::time_point origin_;
  bool trace_;
  struct Received {
    int rank = 0;
    Parcel parcel;
  };
  base::BoundedQueue<Received> inbox_;
  plan::Dealer dealer_;
  std::deque<std::pair<int, int>> hungry_;  ///< rank and lanes, in the order of asking
  std::string last_loss_;                   ///< why the rank that retired last did
  bool stopped_ = false;
  int left_ = 0;
  std::string failure_;
  std::string halted_;

  std::mutex mutex_;                                  ///< guards what the writer thread hands over
  std::vector<std::pair<int, std::int64_t>> stored_;  ///< who made it, and the item
  std::string writer_failure_;
  report::ThreadReport writer_report_;
  std::thread writer_;
};

}  // namespace tessera::run
