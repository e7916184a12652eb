// The queue of squares that wait for a lane, with the clients that want them. Pure: no threads, no
// devices.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "explore/square.hpp"

namespace tessera::explore {

/// The client of a request. It numbers its views; a newer view drops the requests of older ones.
struct Want {
  std::string client;  ///< "" = the request is never dropped
  std::uint64_t view = 0;
};

struct SquareTask {
  using Clock = base::Clock;
  enum class State { waiting, running, done, dropped, failed };

  SquareKey key;
  SquareImage square;
  State state = State::waiting;
  bool ready = true;  ///< false: its reference orbit is not computed yet
  std::uint64_t number = 0;
  std::vector<Want> wants;
  Clock::time_point cancelled_at;              ///< while `wants` is empty
  std::shared_ptr<const SquareValues> values;  ///< once it is done
  std::string error;                           ///< once it has failed

  bool ended() const { return state > State::running; }
  /// Whether a lane may leave it unfinished. A view that moves soon wants most of its squares
  /// again.
  bool given_up(Clock::time_point now) const;
};

using TaskPointer = std::shared_ptr<SquareTask>;

/// Coarse squares come first, then those that were asked for first.
class SquareQueue {
 public:
  /// At most `most` squares wait.
  explicit SquareQueue(std::size_t most) : most_(most) {}

  /// Returns the task of the square, which may exist already. A newer view of the client drops
  /// waiting squares that only its older views want, and gives up running ones. Returns a dropped
  /// task for an outdated request, and null if the queue is full.
  TaskPointer ask(const SquareKey& key, const Want& want, const SquareImage& square = {},
                  bool ready = true);
  /// The next square that is ready, now running; null if there is none.
  TaskPointer take();
  /// The first square that is not ready; null if there is none.
  TaskPointer first_unready() const;
  /// Calls change(task) for all that wait.
  template <class Change>
  void for_each_waiting(const Change& change) {
    for (const auto& [order, task] : waiting_) change(*task);
  }
  /// A running square waits again, before the others.
  void put_back(const TaskPointer& task);
  /// Nobody wants the square any more.
  void drop(const SquareKey& key);
  /// Ends a task.
  void end(const TaskPointer& task, SquareTask::State state);
  /// Drops all that wait.
  void clear();
  std::size_t waiting() const { return waiting_.size(); }

 private:
  using Order = std::pair<bool, std::uint64_t>;  ///< not coarse, number
  static Order order_of(const SquareTask& task) { return {task.key.coarse == 1, task.number}; }
  bool outdated(const Want& want);
  void drop_older(const Want& want);

  std::size_t most_;
  std::uint64_t numbers_ = 0;
  std::map<SquareKey, TaskPointer> tasks_;  ///< that wait or run
  std::map<Order, TaskPointer> waiting_;
  std::list<Want> clients_;  ///< the newest view of each; last request first
};

}  // namespace tessera::explore
