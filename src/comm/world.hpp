// The ranks of this run and the messages between them. The only room that knows MPI.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"

namespace tessera::comm {

/// Small messages steer, bulk ones carry results: separate, so that a rank whose stores are full
/// can leave bulk where it is and still be steered.
enum class Channel : int { control = 1, bulk = 2 };

struct Message {
  int source = 0;
  base::Bytes body;
};

/// One per process. All calls from the thread that made it (MPI_THREAD_FUNNELED). Every MPI error
/// becomes a base::Error that names the call. A process that no launcher started is a world of one
/// rank and never starts MPI, which would cost it 0.2 s.
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

  /// Collective: the root's bytes on every rank.
  base::Bytes broadcast(base::Bytes bytes);
  /// Collective: on the root the bytes of every rank in order, elsewhere nothing.
  std::vector<base::Bytes> gather(const base::Bytes& bytes);
  /// Collective: the bytes of every rank of this node, in the order of node_rank(), on each of
  /// them. At most 2^31 - 1 bytes of all together.
  std::vector<base::Bytes> gather_node(const base::Bytes& bytes);

  /// Ends every rank at once, when a rank cannot go on and the others would wait for it for ever.
  [[noreturn]] void abort(int exit_code);

 private:
  struct Node;
  struct Sends;
  int rank_ = 0;
  int size_ = 1;
  std::string host_;
  int node_rank_ = 0;
  int node_ranks_ = 1;
  int mask_rank_ = 0;
  int mask_ranks_ = 1;
  base::Clock::time_point origin_;
  std::unique_ptr<Node> node_;
  std::unique_ptr<Sends> sends_;
};

}  // namespace tessera::comm
