// Sends and receives messages, and detects lost ranks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/events.hpp"
#include "comm/communicator.hpp"
#include "comm/message.hpp"
#include "comm/silence.hpp"

namespace tessera::comm {

/// Message tags between ranks.
enum class Tag : int { control = 1, bulk, collective, pulse, farewell };

/// Default time for which a rank may be silent.
inline constexpr double kDefaultHeartbeatSeconds = 10;

/// Uses only nonblocking MPI calls, because a call that waits for a lost rank never returns. One
/// thread at a time is in MPI (MPI_THREAD_SERIALIZED). A separate thread, the pulse, sends
/// heartbeats whatever the other threads do: each rank sends them to the gather rank, which
/// answers. MPI itself never reports a lost rank.
class Link {
 public:
  /// `hosts`: the host of every rank; used on the gather rank.
  Link(Communicator& communicator, base::Events& events, int rank, int size, std::string host,
       std::vector<std::string> hosts);
  /// Stops the pulse thread.
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Before the end of a link with uncompleted messages: MPI may still use their memory, so it is
  /// never freed.
  void abandon();

  /// A rank that was silent for longer than this counts as lost, the gather rank after twice this
  /// time; 0 = never.
  void set_heartbeat_timeout(double seconds);
  double heartbeat_timeout_s() const { return heartbeat_timeout_s_; }

  /// Starts a send. If `synchronous`, the send completes only when the receiver takes it, however
  /// small it is.
  void isend(int to, Tag tag, bool synchronous, base::Bytes body);
  /// A received message, or nothing. Messages of one rank arrive in order.
  std::optional<Message> try_receive(Tag tag);
  /// A message with this tag is being received from a present rank.
  bool receiving(Tag tag) const;
  /// Number of uncompleted sends to present ranks.
  std::size_t pending_sends();

  /// On the gather rank: whether `rank` takes part. Elsewhere always true.
  bool present(int rank) const;
  bool all_present() const;
  /// Grows whenever present() of any rank changes.
  std::uint64_t changes() const { return changes_; }
  /// Marks a living rank as absent: nobody waits for it until rejoin().
  void leave_behind(int rank, const char* why);
  /// Marks the rank as present again.
  void rejoin(int rank);
  bool silent(int rank) const;
  /// Ranks that were lost at any time.
  std::vector<int> lost_once() const;

 private:
  enum class State : std::uint8_t {
    present,
    silent,  ///< no message for longer than the timeout
    behind   ///< sends messages, but has not caught up with the others
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
  // These functions require mutex_.
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
  void leave(const std::string& cause) const;

  Communicator& communicator_;
  base::Events& events_;
  int rank_;
  int size_;
  std::string host_;
  std::vector<std::string> hosts_;
  std::atomic<double> heartbeat_timeout_s_;
  mutable std::mutex mutex_;  ///< guards MPI and the members below
  std::list<Send> sends_;
  std::list<Receive> receives_;
  TimeSinceHeard silence_;
  std::vector<State> states_;
  std::vector<bool> lost_once_;
  std::vector<bool> to_answer_;  ///< sent something since the last heartbeat; on the gather rank
  std::atomic<std::uint64_t> changes_ = 0;
  base::Clock::time_point started_ = base::Clock::now();
  bool ended_ = false;
  std::condition_variable wake_;
  std::thread pulse_;
};

}  // namespace tessera::comm
