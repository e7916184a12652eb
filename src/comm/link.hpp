// Messages on their way, and whether the ranks that they are for are still there.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "comm/message.hpp"
#include "comm/mpi_call.hpp"
#include "comm/silence.hpp"

namespace tessera::comm {

/// Tags of what ranks send each other.
enum class Tag : int { control = 1, bulk, collective, pulse, farewell };

/// How long a rank may be silent unless told otherwise.
inline constexpr double kDefaultHeartbeatTimeout_s = 10;

/// Only nonblocking calls, because a call that waits for a rank which is gone never returns, and
/// one thread at a time (MPI_THREAD_SERIALIZED). A thread of its own, the pulse, keeps saying that
/// this process is alive, whatever its other threads are at: the others to the gather rank, which
/// answers. MPI itself never tells that a rank is gone.
class Link {
 public:
  /// `hosts`: of every rank, on the gather rank.
  Link(int rank, int size, std::string host, std::vector<std::string> hosts);
  /// Ends the pulse.
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// A rank of which nothing was heard for so long is taken for lost, a gather rank after twice as
  /// long; 0 = never.
  void set_heartbeat_timeout(double seconds);
  double heartbeat_timeout_s() const { return heartbeat_timeout_s_; }

  /// Starts to send; `synchronous`: the body is kept until the receiver takes it, however small.
  void post(int to, Tag tag, bool synchronous, base::Bytes body);
  /// A message that has come, or nothing. Those of one rank come in order.
  std::optional<Message> poll(Tag tag);
  /// Something of this kind is coming in from a rank that is there.
  bool receiving(Tag tag) const;
  /// Messages posted to ranks that are there, and not gone yet.
  std::size_t sending();

  /// On the gather rank: whether `rank` is counted on. Elsewhere always true.
  bool present(int rank) const;
  bool all_present() const;
  /// Grows whenever present() of some rank changes.
  std::uint64_t changes() const { return changes_; }
  /// Its process lives, but nobody waits for it any more, until rejoin().
  void leave_behind(int rank, const char* why);
  /// It takes part again.
  void rejoin(int rank);
  bool silent(int rank) const;
  /// Ranks that were lost at any time.
  std::vector<int> lost_once() const;

 private:
  enum class State : std::uint8_t {
    present,
    silent,  ///< nothing is heard of it
    behind   ///< heard of, but not yet where the others are
  };
  struct Send {
    int to = 0;
    base::Bytes body;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Receive {
    Tag tag = Tag::control;
    Message message;
    MPI_Request request = MPI_REQUEST_NULL;
    bool done = false;
  };
  // mutex_ is held in all of these.
  void start(int to, Tag tag, bool synchronous, base::Bytes body);
  void collect_sends();
  std::optional<Message> take_received(Tag tag);
  bool begin_receive(Tag tag);
  void heard(int rank);
  void set_state(int rank, State state, const std::string& why);
  State& state_of(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  bool is_present(int rank) const {
    return states_[static_cast<std::size_t>(rank)] == State::present;
  }
  void beat();
  void watch_ranks();
  void watch_gather_rank();
  [[noreturn]] void leave(const std::string& why) const;

  int rank_;
  int size_;
  std::string host_;
  std::vector<std::string> hosts_;
  std::atomic<double> heartbeat_timeout_s_;
  mutable std::mutex mutex_;  ///< guards MPI and what follows
  std::list<Send> sends_;
  std::list<Receive> receives_;
  TimeSinceHeard silence_;
  std::vector<State> states_;
  std::vector<bool> lost_once_;
  std::vector<bool> to_answer_;  ///< heard of since the last beat; on the gather rank
  std::atomic<std::uint64_t> changes_ = 0;
  base::Clock::time_point started_ = base::Clock::now();
  bool ended_ = false;
  std::condition_variable wake_;
  std::thread pulse_;
};

}  // namespace tessera::comm
