// The ranks of this run and the messages between them. Only this folder uses MPI.
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
#include "base/error.hpp"
#include "base/events.hpp"
#include "comm/message.hpp"

namespace tessera::comm {

/// Control messages are small; bulk messages carry results. They are separate, so that a rank whose
/// queues are full can leave bulk messages where they are and still receive control messages.
enum class Channel : int { control = 1, bulk = 2 };

class Link;
class Communicator;

/// Only the thread that created it may call it. Every MPI error becomes a base::Error that names
/// the call.
///
/// No rank waits for a lost rank. Collectives go through the gather rank, which skips ranks that
/// were silent for too long or were left behind, until they have caught up. A skipped rank finds
/// all messages of the gather rank in order, so it can catch up. A rank that loses its gather rank
/// exits if the world was launched. In an adopted world this call and all later ones throw.
class World {
 public:
  /// One rank, without MPI, whose start would take 0.2 s.
  static World single();
  /// The ranks of MPI_COMM_WORLD, which this process joins. Starts MPI, and finalize() ends it.
  static World launch(base::Events& events);
  /// The ranks of another program's communicator, an MPI_Comm. It is duplicated, and MPI's state is
  /// left alone. MPI must have been started with MPI_THREAD_SERIALIZED or more: a thread of this
  /// world calls MPI as long as it exists, so with less than MPI_THREAD_MULTIPLE nobody else may.
  /// Collective, as is the destructor, unless an exception destroys it.
  static World adopt(const void* communicator, base::Events& events);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  base::Events& events() const { return *events_; }  ///< of a world with MPI
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool has_launcher() const { return link_ != nullptr; }  ///< mpirun, srun, or whoever started MPI
  bool is_root() const { return rank_ == 0; }             ///< the gather rank
  const std::string& host() const { return host_; }
  int node_rank() const { return node_rank_; }    ///< index among the ranks of this node
  int node_ranks() const { return node_ranks_; }  ///< number of ranks of this node
  int nodes() const;                              ///< number of nodes; known on the gather rank
  /// Index among the ranks of the node that have the same affinity mask and so share its cores.
  int mask_rank() const { return mask_rank_; }
  int mask_ranks() const { return mask_ranks_; }  ///< number of those ranks
  /// Taken after a barrier, so that times since then are comparable between ranks.
  base::Clock::time_point origin() const { return origin_; }

  /// Starts a send and keeps the body until the send completes; on the bulk channel, that is when
  /// the receiver has taken it. At most 2^31 - 1 bytes.
  void isend(int to, Channel channel, base::Bytes body);
  /// A received message, or nothing; does not block.
  std::optional<Message> try_receive(Channel channel);
  /// Number of uncompleted sends.
  std::size_t pending_sends();

  /// True if a message is being received on this channel, even if try_receive() has nothing yet.
  bool receiving(Channel channel) const;

  /// Collective: returns the root's bytes on every rank.
  base::Bytes broadcast(base::Bytes bytes);
  /// Collective: returns the bytes of every rank, by rank, on the root, and nothing elsewhere. The
  /// entry of a skipped rank is empty.
  std::vector<base::Bytes> gather(const base::Bytes& bytes);
  /// Collective: returns the bytes of every rank of this node, by node_rank(). The entry of a
  /// skipped rank is empty.
  std::vector<base::Bytes> gather_node(const base::Bytes& bytes);
  /// The next number of a farm; all ranks call this in the same order, so the numbers agree.
  std::uint32_t next_number() { return ++numbers_; }

  /// Seconds for which a rank may be silent before it is skipped; 0 = without limit.
  void set_heartbeat_timeout(double seconds);
  double heartbeat_timeout_s() const;
  /// On the gather rank: whether `rank` takes part. Elsewhere true.
  bool present(int rank) const;
  /// On the gather rank: whether `rank` has been silent for longer than the timeout.
  bool silent(int rank) const;
  /// Grows whenever present() or silent() changes for any rank.
  std::uint64_t changes() const;
  /// On the gather rank: marks the living rank as absent until rejoin(). `why` follows the rank's
  /// name in the message to the user.
  void leave_behind(int rank, const char* why);
  /// Marks the rank as present again.
  void rejoin(int rank);
  /// Ranks that were skipped at any time, with their hosts; known on the gather rank.
  std::vector<std::pair<int, std::string>> lost_ranks() const;

  /// For a launched world. Collective; the last call. Returns `exit_code` after MPI_Finalize. If a
  /// rank is missing, MPI_Finalize would never return, so this ends the process instead.
  int finalize(int exit_code);
  /// This rank takes no part any more, and the others detect the loss. Ends the process of a
  /// launched world. In an adopted one, all later calls throw a run error that says `why`.
  void give_up(base::ExitCode code, const std::string& why);
  /// For a launched world. Ends every rank at once, if this rank cannot continue and the others
  /// would wait for it without end.
  [[noreturn]] void abort_all(int exit_code);

 private:
  World();
  World(std::unique_ptr<Communicator> communicator, base::Events& events);
  void find_ranks();
  base::Bytes receive_broadcast();
  void wait_until_sent();
  std::vector<base::Bytes> receive_parts(const base::Bytes& mine);
  void leave(int exit_code);

  int rank_ = 0;
  int size_ = 1;
  std::string host_;
  int node_rank_ = 0;
  int node_ranks_ = 1;
  int mask_rank_ = 0;
  int mask_ranks_ = 1;
  base::Clock::time_point origin_;
  std::vector<std::string> hosts_;  ///< host names of all ranks, on the gather rank
  std::vector<int> nodes_;          ///< the first rank of each rank's node, on the gather rank
  std::uint32_t collectives_ = 0;   ///< number that this rank has begun
  std::uint32_t numbers_ = 0;
  /// By rank: messages for collectives that this rank has not reached.
  std::vector<std::deque<Message>> early_;
  int exceptions_;                  ///< in flight when it was created
  base::Events* events_ = nullptr;  ///< null without MPI, as are the next two
  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<Link> link_;
};

}  // namespace tessera::comm
