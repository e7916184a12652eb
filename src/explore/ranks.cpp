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
#include "base/stop_request.hpp"

namespace tessera::explore {
namespace {

constexpr std::chrono::microseconds kRankPoll{1000};
constexpr std::chrono::milliseconds kPollAlone{50};
/// Squares that a rank has beyond those that its lanes render: they cross while it works.
constexpr int kAhead = 1;

/// A longer orbit is computed by each rank itself.
constexpr std::int64_t kMostSent = std::int64_t{1} << 22;

/// From the gather rank: a square to render, or to drop. Its number is 0 at the end.
struct Order {
  std::uint64_t number = 0;
  bool drop = false;
  Place place;  ///< the numbers of places differ between ranks
  SquareKey key;
  /// The reference orbit of its place, when the rank gets it first.
  std::int64_t orbit_bits = 0;
  std::uint64_t orbit_iterations = 0;
  deep::ReferenceOrbit orbit{};

  static auto members(auto& self) {
    return std::tie(self.number, self.drop, self.place, self.key, self.orbit_bits,
                    self.orbit_iterations, self.orbit);
  }
};

/// To the gather rank. The first one has the number 0 and the lanes of the rank.
struct Delivery {
  std::uint64_t number = 0;
  int lanes = 0;
  std::string error;
  SquareValues values{};  ///< without an error

  static auto members(auto& self) {
    return std::tie(self.number, self.lanes, self.error, self.values);
  }
};

/// What the gather rank knows of the others.
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
    std::map<std::uint64_t, TaskPointer> tasks;
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
    state.tasks.emplace(++numbers_, task);
    Order square{.number = numbers_, .place = *place, .key = task->key};
    add_orbit(*task, state, square);
    order(rank, square);
    return true;
  }

  void add_orbit(const SquareTask& task, State& state, Order& square) {
    std::erase_if(state.orbits, [](const auto& one) { return one.expired(); });
    const auto kept = farm_.orbit_of(task);
    if (!kept || kept->orbit->length() > kMostSent) return;
    if (!state.orbits.insert(kept->orbit).second) return;
    square.orbit_bits = kept->bits;
    square.orbit_iterations = kept->iterations;
    square.orbit = *kept->orbit;
  }

  void drop_given_up(int rank, State& state) {
    std::erase_if(state.tasks, [&](const auto& entry) {
      const auto& [number, task] = entry;
      if (!farm_.end_if_given_up(task)) return false;
      const auto place = farm_.place(task->key.place);
      order(rank,
            {.number = number, .drop = true, .place = place.value_or(Place()), .key = task->key});
      return true;
    });
  }

  void take(int rank, Delivery delivery) {
    State& state = ranks_[rank];
    if (delivery.number == 0) state.lanes = delivery.lanes;
    const auto found = state.tasks.find(delivery.number);
    if (found == state.tasks.end()) return;
    const TaskPointer task = found->second;
    state.tasks.erase(found);
    if (!delivery.error.empty()) return farm_.finish(task, nullptr, delivery.error);
    delivery.values.rank = rank;
    farm_.finish(task, std::make_shared<SquareValues>(std::move(delivery.values)), "");
  }

  /// The rank is lost.
  void take_back(State& state) {
    for (const auto& [number, task] : state.tasks) farm_.put_back(task);
    state.tasks.clear();
  }

  comm::World& world_;
  SquareFarm& farm_;
  std::uint64_t numbers_ = 0;
  std::map<int, State> ranks_;
};

/// What a rank has rendered and not sent yet.
class Outbox {
 public:
  void expect(const SquareKey& key, std::uint64_t number) {
    const std::scoped_lock lock(mutex_);
    numbers_[key].push_back(number);
  }
  /// Whether nobody else expects the square.
  bool forget(const SquareKey& key, std::uint64_t number) {
    const std::scoped_lock lock(mutex_);
    std::erase(numbers_[key], number);
    if (!numbers_[key].empty()) return false;
    numbers_.erase(key);
    return true;
  }
  void put(const SquareTask& task) {
    const std::scoped_lock lock(mutex_);
    for (const std::uint64_t number : std::exchange(numbers_[task.key], {})) {
      if (task.values) {
        ready_.push_back({.number = number, .values = *task.values});
      } else {
        ready_.push_back({.number = number, .error = task.error});
      }
    }
    numbers_.erase(task.key);
  }
  std::deque<Delivery> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(ready_, {});
  }

 private:
  std::mutex mutex_;
  std::map<SquareKey, std::vector<std::uint64_t>> numbers_;
  std::deque<Delivery> ready_;
};

}  // namespace

void hand_out(comm::World& world, SquareFarm& farm) {
  Ranks ranks(world, farm);
  while (!base::stop_requested()) {
    if (ranks.turn()) continue;
    std::this_thread::sleep_for(world.size() > 1 ? kRankPoll : kPollAlone);
  }
  ranks.end();
}

void render_for_others(comm::World& world, binding::Lanes& lanes, const job::RenderJob& job,
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
    const Place place = places.add(order.place);
    SquareKey& key = order.key;
    key.place = place.id;
    if (order.drop) {
      if (outbox.forget(key, order.number)) farm.drop(key);
      return;
    }
    if (!order.orbit.re.empty()) {
      farm.keep_orbit({place.center_re, place.center_im, order.orbit_bits, order.orbit_iterations,
                       std::make_shared<const deep::ReferenceOrbit>(std::move(order.orbit))});
    }
    outbox.expect(key, order.number);
    farm.begin(key, {});
  };
  for (;;) {
    bool busy = false;
    for (const Delivery& delivery : outbox.take()) {
      deliver(delivery);
      busy = true;
    }
    while (const auto message = world.try_receive(comm::Channel::control)) {
      auto order = base::from_bytes<Order>(message->body);
      if (order.number == 0) return;
      busy = true;
      obey(std::move(order));
    }
    world.pending_sends();
    if (!busy) std::this_thread::sleep_for(kRankPoll);
  }
}

}  // namespace tessera::explore
