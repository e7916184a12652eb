// The ranks of this run and the messages between them. The only room that knows MPI.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "comm/message.hpp"

namespace tessera::comm {

/// Small messages steer, bulk ones carry results: separate, so that a rank whose stores are full
/// can leave bulk where it is and still be steered.
enum class Channel : int { control = 1, bulk = 2 };

class Link;

/// One per process. All calls from the thread that made it. Every MPI error becomes a base::Error
/// that names the call. A process that no launcher started is a world of one rank and never starts
/// MPI, which would cost it 0.2 s.
///
/// No rank waits for one that is gone: what is collective goes through the gather rank, which
/// skips ranks that were silent for too long, or were left behind, until they are where the others
/// are. A rank that is skipped finds all that the gather rank has sent it in order, and so catches
/// up when it can. A rank that misses its gather rank ends itself.
class World {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }  ///< the gather rank
  const std::string& host() const { return host_; }
  int node_rank() const { return node_rank_; }    ///< number among the ranks of this node
  int node_ranks() const { return node_ranks_; }  ///< how many there are
  /// Number among the ranks of the node that have the same affinity mask and so share its cores.
  int mask_rank() const { return mask_rank_; }
  int mask_ranks() const { return mask_ranks_; }  ///< how many those are
  /// Taken behind a barrier, so that times since then compare between ranks.
  base::Clock::time_point origin() const { return origin_; }

  /// Starts to send; the body is kept until it is gone: until the receiver has taken it, on the
  /// bulk channel. At most 2^31 - 1 bytes.
  void post(int to, Channel channel, base::Bytes body);
  /// A message that has come, or nothing; does not wait for one.
  std::optional<Message> poll(Channel channel);
  /// Messages posted that are not gone yet.
  std::size_t sending();

  /// Something is coming in on this channel, though poll() has nothing yet.
  bool receiving(Channel channel) const;

  /// Collective: the root's bytes on every rank.
  base::Bytes broadcast(base::Bytes bytes);
  /// Collective: on the root the bytes of every rank in order, elsewhere nothing. Nothing, too, of
  /// a rank that is skipped.
  std::vector<base::Bytes> gather(const base::Bytes& bytes);
  /// Collective: the bytes of every rank of this node, in the order of node_rank(), on each of
  /// them. Nothing of a rank that is skipped.
  std::vector<base::Bytes> gather_node(const base::Bytes& bytes);
  /// A number for what all ranks begin now: farms are told apart by it.
  std::uint32_t next_number() { return ++numbers_; }

  /// For how long a rank may be silent before it is skipped, in seconds; 0 = as long as it likes.
  void set_heartbeat_timeout(double seconds);
  double heartbeat_timeout_s() const;
  /// On the gather rank: whether `rank` is waited for. Elsewhere true.
  bool present(int rank) const;
  /// On the gather rank: nothing is heard of it at all.
  bool silent(int rank) const;
  /// Grows whenever the answer of present() or silent() changes for some rank.
  std::uint64_t changes() const;
  /// On the gather rank: `rank` lives, but is not waited for until rejoin(). `why` follows its name
  /// in what people are told.
  void leave_behind(int rank, const char* why);
  /// It is where the others are.
  void rejoin(int rank);
  /// Ranks that were skipped at any time, with their hosts; known on the gather rank.
  std::vector<std::pair<int, std::string>> lost_ranks() const;

  /// Collective, and the last call: returns `exit_code` behind MPI_Finalize. Where somebody is
  /// missing, that would never return: then this ends the process.
  int end(int exit_code);
  /// Ends this process alone; the others find out that it is gone.
  [[noreturn]] static void quit(int exit_code);
  /// Ends every rank at once, when a rank cannot go on and the others would wait for it for ever.
  [[noreturn]] void abort(int exit_code);

 private:
  void start_mpi();
  void look_around();
  base::Bytes receive_told();
  void wait_until_sent();
  std::vector<base::Bytes> receive_parts(const base::Bytes& mine);
  [[noreturn]] void leave(int exit_code);

  int rank_ = 0;
  int size_ = 1;
  std::string host_;
  int node_rank_ = 0;
  int node_ranks_ = 1;
  int mask_rank_ = 0;
  int mask_ranks_ = 1;
  base::Clock::time_point origin_;
  std::vector<std::string> hosts_;  ///< of all ranks, on the gather rank
  std::vector<int> nodes_;          ///< the first rank of each rank's node, on the gather rank
  std::uint32_t collectives_ = 0;   ///< that this rank has begun
  std::uint32_t numbers_ = 0;
  std::vector<std::deque<Message>>
      early_;                   ///< by rank; for collectives that this one is not at yet
  std::unique_ptr<Link> link_;  ///< none in a world that was not launched
};

}  // namespace tessera::comm
