// The results of this rank's threads on their way to the ranks that store them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/bounded_queue.hpp"
#include "base/bytes.hpp"
#include "comm/world.hpp"
#include "farm/parts.hpp"
#include "farm/work.hpp"

namespace tessera::farm {

class ResultOutbox {
 public:
  /// `capacity`: bytes that wait to be sent.
  ResultOutbox(comm::World& world, const Routes& routes, std::uint32_t farm, std::size_t capacity);
  ~ResultOutbox() { abandon(); }  // releases threads that wait for room
  ResultOutbox(const ResultOutbox&) = delete;
  ResultOutbox& operator=(const ResultOutbox&) = delete;

  /// Called by any thread; waits for room.
  void push(Result result);
  /// Sends one message with the results for one rank, if any are ready and not too many messages
  /// are in flight. Returns whether it did.
  bool send();
  /// Whether all results are sent.
  bool empty() const { return queue_.empty() && !held_ && batched_ == 0; }
  /// Whether results for the rank, which is lost, wait here.
  void hold(int rank, bool holds);
  /// Drops what waits for such ranks, at the end of a farm that stops before it is done.
  void drop_held_up();
  /// The items of the part whose results were sent, or will not be as their rank is `lost`.
  std::vector<std::int64_t> take_back(std::size_t part, int lost);
  /// Drops all results and refuses new ones.
  void abandon();

 private:
  void fill();
  void append(const Result& result);
  void drop_batch(int rank);

  comm::World& world_;
  const Routes& routes_;
  std::uint32_t farm_;
  std::size_t sends_in_flight_;
  std::size_t batch_bytes_;
  base::BoundedQueue<Result> queue_;
  std::optional<Result> held_;               ///< the next one, which did not fit
  std::set<int> held_up_;                    ///< ranks that get no messages now
  std::map<int, base::ByteWriter> batches_;  ///< by rank, the next message
  /// By part, in farms of several: what was sent since take_back().
  std::map<std::size_t, std::vector<std::int64_t>> sent_;
  std::size_t batched_ = 0;  ///< bytes in them
};

}  // namespace tessera::farm
