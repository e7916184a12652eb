// The gather rank's part of a farm: assigns items, receives results, has a thread store them, and
// continues without ranks that are lost.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/event.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"
#include "farm/messages.hpp"
#include "farm/result_inbox.hpp"
#include "farm/result_outbox.hpp"
#include "farm/started_items.hpp"
#include "plan/dealer.hpp"

namespace tessera::farm {

/// Used by the gather rank's MPI thread; only deliver() is called by other threads, and results are
/// stored by the writer thread. The gather rank stores a part of every farm.
class Coordinator {
 public:
  /// `wake` is notified when step() has new work.
  Coordinator(comm::World& world, Gather& gather, const Storing& storing, const FarmLimits& limits,
              base::Event& wake);

  /// Delivers an item computed on this rank. Called by worker threads; blocks while there is no
  /// room for it.
  void deliver(Result result);
  /// Assigns items to this rank's own workers; may be empty.
  std::vector<std::int64_t> take_local(int lanes) {
    return dealer_.deal(world_.rank(), lanes, now_s());
  }
  /// Items that this rank's own workers need no longer compute, since the last call.
  std::vector<std::int64_t> take_local_drops() { return std::exchange(local_drops_, {}); }
  /// Whether this rank's own workers must return the items that they have not begun, with
  /// end_recall().
  bool take_local_recall() { return std::exchange(local_recall_, false); }
  void end_recall(int rank, const std::vector<std::int64_t>& items) {
    dealer_.end_recall(rank, items, now_s());
  }
  /// Predicted time until everything is done.
  double seconds_left() { return dealer_.seconds_left(now_s()); }
  /// `rank` has no lane left, for the reason `why`, and returns these items. The farm fails if it
  /// was the last such rank.
  void retire(int rank, const std::string& host, const std::vector<std::int64_t>& items,
              const std::string& why);
  /// This run must stop before it is done.
  void halt(const std::string& why);
  /// What `rank` has begun.
  void set_started(int rank, std::vector<ItemProgress> items) {
    started_.set(rank, std::move(items));
    gather_.schedule.set_started_cost(started_.cost(gather_.schedule));
  }
  /// A worker of `rank` failed.
  void fail(int rank, const std::string& host, const std::string& text);

  /// Does everything that can be done now; true if anything was done.
  bool step();
  /// Whether a long message is arriving.
  bool receiving() const { return world_.receiving(comm::Channel::bulk); }
  /// All items are stored, or the farm has failed: local workers must stop.
  bool stopped() const { return stopped_; }
  bool failed() const { return !failure_.empty(); }
  /// Every other rank that is not lost has left, so no more messages arrive. Ranks that are still
  /// busy with work that nobody needs are left behind after some time.
  bool all_left();
  /// Once all have left and this rank's own workers have ended: whether the other ranks that store
  /// a part have stored all that has arrived. Those that were left behind do that, too.
  bool all_ended();
  const std::string& failure() const { return failure_; }
  /// Who asked for the stop, if something was left to do; otherwise "".
  std::string halted() const { return gather_.schedule.complete() ? "" : halted_; }
  /// Joins the writer thread and returns its report. Call it when all_left() and the local workers
  /// have ended.
  report::ThreadReport finish();

 private:
  struct PendingRequest {
    int rank = 0;
    int lanes = 0;
  };
  struct Other {
    bool lost = false;     ///< as reported to the dealer
    bool greeted = false;  ///< a hello was sent to it
    bool left = false;
    bool end_sent = false;
    bool ended = false;  ///< it has stored its part
  };
  struct Adoption {
    int rank = 0;  ///< that was asked to store the part
    int tries = 0;
    std::string why_not;  ///< why it could not, or ""
    double again_s = 0;   ///< when it is tried again
  };
  double now_s() const { return base::seconds_between(origin_, base::Clock::now()); }
  void fail(const std::string& text);
  void post(int rank, ControlMessage message);
  bool receive_control();
  void listen(int rank, const ControlMessage& control);
  bool collect_stored();
  void take_stored(const std::vector<StoredItem>& stored, std::int64_t again);
  void drop(int rank, std::vector<std::int64_t> items);
  bool assign_to_pending_requests();
  void send_recalls();
  void stop(MessageKind kind);
  bool check_ranks();
  void check_rank(int rank);
  void lose_parts(int rank);
  void tell_others(MessageKind kind, int rank);
  void give_part(std::size_t part);
  void wait_for_part(std::size_t part, const std::string& why);
  void give_parts_again();
  void move_parts(const std::vector<std::int64_t>& parts, int rank);
  void take_unsent(int rank, const std::vector<std::int64_t>& items);
  void end_without_workers();
  Other& other(int rank) { return others_[static_cast<std::size_t>(rank)]; }

  comm::World& world_;
  Gather& gather_;
  std::uint32_t farm_;
  base::Clock::time_point origin_;
  report::LiveRun* live_;
  Routes routes_;
  std::map<std::size_t, Adoption> adoptions_;  ///< of parts whose rank is lost
  base::Event& wake_;
  ResultInbox inbox_;
  ResultOutbox outbox_;
  plan::Dealer dealer_;
  StartedItems started_;
  std::vector<Other> others_;  ///< indexed by rank
  std::uint64_t seen_changes_;
  std::deque<PendingRequest> pending_requests_;  ///< in the order of arrival
  std::vector<std::int64_t> local_drops_;
  bool local_recall_ = false;
  std::string last_loss_;  ///< why the last rank retired
  bool stopped_ = false;
  double stopped_s_ = 0;
  std::string failure_;
  std::string halted_;
};

}  // namespace tessera::farm
