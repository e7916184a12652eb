#include "explore/ranks.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "base/bytes.hpp"
#include "base/run.hpp"

namespace tessera::explore {
namespace {

constexpr std::chrono::microseconds kRankPoll{1000};
constexpr std::chrono::milliseconds kPollAlone{50};
/// Squares that a rank has beyond those that its lanes render: they cross while it works.
constexpr int kAhead = 1;

/// A longer orbit is computed by each rank itself.
constexpr std::int64_t kMaxSent = std::int64_t{1} << 22;

/// From the gather rank: a square to render, or to drop, or the end.
struct Order {
  enum class Kind : int { render, drop, end };

  Kind kind = Kind::end;
  Place place;  ///< place of the square
  SquareKey key;
  /// The reference orbit of its place, when the rank gets it first.
  std::int64_t orbit_bits = 0;
  std::uint64_t orbit_iterations = 0;
  deep::ReferenceOrbit orbit{};

  static auto members(auto& self) {
    return std::tie(self.kind, self.place, self.key, self.orbit_bits, self.orbit_iterations,
                    self.orbit);
  }
};

/// To the gather rank: how many lanes the rank has, then squares.
struct Delivery {
  int lanes = 0;
  SquareKey key;
  std::string error;
  SquareValues values{};  ///< without an error

  static auto members(auto& self) {
    return std::tie(self.lanes, self.key, self.error, self.values);
  }
};

/// The knowledge of the gather rank about the others.
class Ranks {
 public:
  Ranks(comm::World& world, SquareFarm& farm) : world_(world), farm_(farm) {}

  bool turn() {
    bool busy = false;
    while (const auto message = world_.try_receive(comm::Channel::bulk)) {
      take(message->source, base::from_bytes<Delivery>(message->body));
      busy = true;
    }
    for (auto& [rank, state] : ranks_) {
      if (!world_.present(rank)) take_back(state);
      drop_given_up(rank, state);
      while (world_.present(rank) && send(rank, state)) busy = true;
    }
    return busy;
  }

  void end() {
    for (int rank = 1; rank < world_.size(); ++rank) {
      order(rank, Order());
    }
  }

 private:
  struct State {
    int lanes = 0;
    std::map<SquareKey, TaskPointer> tasks;
    /// Orbits that the rank got.
    std::set<std::weak_ptr<const deep::ReferenceOrbit>, std::owner_less<>> orbits;
  };

  void order(int rank, const Order& order) {
    world_.isend(rank, comm::Channel::control, base::to_bytes(order));
  }

  bool send(int rank, State& state) {
    if (static_cast<int>(state.tasks.size()) >= state.lanes + kAhead) return false;
    const TaskPointer task = farm_.take();
    if (!task) return false;
    const auto place = farm_.place(task->key.place);
    if (!place) {
      farm_.finish(task, nullptr, "the place was forgotten");
      return true;
    }
    state.tasks[task->key] = task;
    Order square{.kind = Order::Kind::render, .place = *place, .key = task->key};
    add_orbit(*task, state, square);
    order(rank, square);
    return true;
  }

  void add_orbit(const SquareTask& task, State& state, Order& square) {
    std::erase_if(state.orbits, [](const auto& one) { return one.expired(); });
    const auto kept = farm_.orbit_of(task);
    if (!kept || kept->orbit->length() > kMaxSent) return;
    if (!state.orbits.insert(kept->orbit).second) return;
    square.orbit_bits = kept->bits;
    square.orbit_iterations = kept->iterations;
    square.orbit = *kept->orbit;
  }

  void drop_given_up(int rank, State& state) {
    std::erase_if(state.tasks, [&](const auto& entry) {
      const auto& [key, task] = entry;
      if (!farm_.end_if_given_up(task)) return false;
      order(rank, {.kind = Order::Kind::drop, .key = key});
      return true;
    });
  }

  void take(int rank, Delivery delivery) {
    State& state = ranks_[rank];
    if (delivery.lanes > 0) state.lanes = delivery.lanes;
    // One that was dropped and asked for again may arrive twice, with the same values.
    const auto found = state.tasks.find(delivery.key);
    if (found == state.tasks.end()) return;
    const TaskPointer task = found->second;
    state.tasks.erase(found);
    if (!delivery.error.empty()) return farm_.finish(task, nullptr, delivery.error);
    delivery.values.rank = rank;
    farm_.finish(task, std::make_shared<SquareValues>(std::move(delivery.values)), "");
  }

  /// The rank is lost.
  void take_back(State& state) {
    for (const auto& [key, task] : state.tasks) farm_.put_back(task);
    state.tasks.clear();
  }

  comm::World& world_;
  SquareFarm& farm_;
  std::map<int, State> ranks_;
};

/// Squares that a rank has rendered and not sent yet.
class Outbox {
 public:
  void put(const SquareTask& task) {
    Delivery delivery{.key = task.key, .error = task.values ? "" : task.error};
    if (task.values) delivery.values = *task.values;
    const std::scoped_lock lock(mutex_);
    ready_.push_back(std::move(delivery));
  }
  std::deque<Delivery> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(ready_, {});
  }

 private:
  std::mutex mutex_;
  std::deque<Delivery> ready_;
};

}  // namespace

void run_coordinator(comm::World& world, SquareFarm& farm) {
  Ranks ranks(world, farm);
  while (!base::stop_requested()) {
    if (ranks.turn()) continue;
    std::this_thread::sleep_for(world.size() > 1 ? kRankPoll : kPollAlone);
  }
  ranks.end();
}

void run_worker(comm::World& world, binding::Lanes& lanes, const job::RenderJob& job,
                FarmSpec spec) {
  Places places;
  Outbox outbox;
  spec.cache_bytes = 0;
  spec.ended = [&](const SquareTask& task) { outbox.put(task); };
  SquareFarm farm(lanes, job, places, spec);
  const auto deliver = [&](const Delivery& delivery) {
    world.isend(0, comm::Channel::bulk, base::to_bytes(delivery));
  };
  deliver({.lanes = lanes.working()});
  const auto obey = [&](Order order) {
    if (order.kind == Order::Kind::drop) return farm.drop(order.key);
    const Place& place = order.place;
    places.keep(place);
    if (!order.orbit.re.empty()) {
      farm.keep_orbit({place.center_re, place.center_im, order.orbit_bits, order.orbit_iterations,
                       std::make_shared<const deep::ReferenceOrbit>(std::move(order.orbit))});
    }
    farm.begin(order.key, {});
  };
  for (;;) {
    bool busy = false;
    for (const Delivery& delivery : outbox.take()) {
      deliver(delivery);
      busy = true;
    }
    while (const auto message = world.try_receive(comm::Channel::control)) {
      auto order = base::from_bytes<Order>(message->body);
      if (order.kind == Order::Kind::end) return;
      busy = true;
      obey(std::move(order));
    }
    world.pending_sends();
    if (!busy) std::this_thread::sleep_for(kRankPoll);
  }
}

}  // namespace tessera::explore
