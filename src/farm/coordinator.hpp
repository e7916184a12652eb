// The gather rank's half of a farm: grants items, receives results, has a thread store them, and
// does without the ranks that are lost.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/event.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"
#include "farm/messages.hpp"
#include "farm/result_writer.hpp"
#include "plan/dealer.hpp"

namespace tessera::farm {

/// Lives on the gather rank's MPI thread; only deliver() and the writer thread are elsewhere.
class Coordinator {
 public:
  /// `wake` is notified whenever step() has something new to do.
  Coordinator(comm::World& world, Gather& gather, const FarmLimits& limits, base::Event& wake);

  /// An item made on this rank; called by worker threads, blocks while the inbox is full.
  void deliver(Result result) { writer_.push(world_.rank(), std::move(result)); }
  /// Items for this rank's own workers; may be empty.
  std::vector<std::int64_t> take_local(int lanes) {
    return dealer_.deal(world_.rank(), lanes, now_s());
  }
  /// What this rank's own workers need not do any more, since the last call.
  std::vector<std::int64_t> take_local_drops() { return std::exchange(local_drops_, {}); }
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
  /// A long message is coming in.
  bool receiving() const { return world_.receiving(comm::Channel::bulk); }
  /// All items are stored, or the farm has failed: local workers should end.
  bool stopped() const { return stopped_; }
  bool failed() const { return !failure_.empty(); }
  /// Every other rank that is there has left: nothing more will come. Those that do not come to an
  /// end with what nobody needs are left behind.
  bool all_left();
  const std::string& failure() const { return failure_; }
  /// Asked to stop, and something was left to do: who asked, or "".
  std::string halted() const { return gather_.schedule.complete() ? "" : halted_; }
  /// Joins the writer and tells what it did. Call when all_left() and the local workers ended.
  report::ThreadReport finish();

 private:
  struct PendingRequest {
    int rank = 0;
    int lanes = 0;
  };
  struct Other {
    bool lost = false;     ///< as the dealer knows it
    bool greeted = false;  ///< asked whether it is with us
    bool left = false;
    Result half;  ///< the parcels so far of a result that comes in several messages
  };
  double now_s() const { return base::seconds_between(origin_, base::Clock::now()); }
  void fail(const std::string& text);
  void post(int rank, ControlMessage message);
  bool receive_control();
  void listen(int rank, const ControlMessage& control);
  bool receive_bulk();
  void receive_result_chunks(int rank, std::vector<ResultChunk> result_chunks);
  bool collect_stored();
  void drop(int rank, std::vector<std::int64_t> items);
  bool assign_to_pending_requests();
  void stop(MessageKind kind);
  bool check_ranks();
  void check_rank(int rank);
  void end_without_workers();
  Other& other(int rank) { return others_[static_cast<std::size_t>(rank)]; }

  comm::World& world_;
  Gather& gather_;
  std::uint32_t farm_;
  base::Clock::time_point origin_;
  ResultWriter writer_;
  plan::Dealer dealer_;
  std::vector<Other> others_;  ///< by rank
  std::uint64_t seen_changes_;
  std::deque<PendingRequest> pending_requests_;  ///< in the order of asking
  std::vector<std::int64_t> local_drops_;
  std::string last_loss_;  ///< why the rank that retired last did
  bool stopped_ = false;
  double stopped_s_ = 0;
  std::string failure_;
  std::string halted_;
};

}  // namespace tessera::farm
