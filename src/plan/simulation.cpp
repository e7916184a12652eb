#include "plan/simulation.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <queue>
#include <utility>

#include "plan/dealer.hpp"

namespace tessera::plan {
namespace {

/// How long the gather rank waits before it looks again at requests that got nothing, and how many
/// of them it looks at in one go.
constexpr double kAgainSeconds = 1e-3;
constexpr std::size_t kAgainAtOnce = 512;

class Simulation {
 public:
  Simulation(const SimulatedFarm& farm, std::span<const float> predicted,
             std::span<const float> seconds)
      : farm_(farm),
        seconds_(seconds),
        schedule_(std::vector<float>(predicted.begin(), predicted.end()), farm.ranks * farm.lanes,
                  Order::dearest_first),
        dealer_(schedule_, farm.ranks),
        ranks_(static_cast<std::size_t>(farm.ranks)),
        writers_(static_cast<std::size_t>(farm.writers)) {}

  SimulatedRun run() {
    for (int rank = 0; rank < farm_.ranks; ++rank) {
      at(rank).speed = farm_.speed_of ? farm_.speed_of(rank) : 1;
      at(rank).free_lanes = farm_.lanes;
      ask(rank, 0);
    }
    for (const SimulatedFarm::Loss& loss : farm_.losses) put(loss.at_s, Kind::loss, loss.rank);
    while (!schedule_.complete() && !events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
    finish_report();
    return run_;
  }

 private:
  // What happens on the gather rank comes first.
  enum class Kind { want, result, written, returned, again, loss, grant, lane, drop, recall };
  struct Event {
    double at_s = 0;
    std::int64_t number = 0;  ///< earlier ones first
    Kind kind = Kind::want;
    int rank = 0;
    std::int64_t item = -1;
    std::vector<std::int64_t> items{};

    bool operator<(const Event& other) const {
      return std::pair(at_s, number) > std::pair(other.at_s, other.number);
    }
  };
  struct Writer {
    double free_s = 0;  ///< when it has written all that it has got
    double busy_s = 0;
  };
  struct Rank {
    double speed = 1;
    int free_lanes = 0;
    std::deque<std::int64_t> queue;
    bool asked = false;
    bool lost = false;
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  void put(double at_s, Kind kind, int rank, std::int64_t item = -1,
           std::vector<std::int64_t> items = {}) {
    events_.push({at_s, number_++, kind, rank, item, std::move(items)});
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case Kind::want:
        return deal(event.rank, event.at_s);
      case Kind::result:
        return write(event.rank, event.item, event.at_s);
      case Kind::written:
        return note(event.rank, event.item, event.at_s, farm_.gather.note_s);
      case Kind::returned:
        return dealer_.end_recall(event.rank, event.items, event.at_s);
      case Kind::again:
        return deal_again(event.at_s);
      case Kind::loss:
        return lose(event.rank, event.at_s);
      case Kind::grant:
        return take(event.rank, event.items, event.at_s);
      case Kind::lane:
        return end_item(event.rank, event.item, event.at_s);
      case Kind::drop:
        std::erase(at(event.rank).queue, event.item);
        return;
      case Kind::recall:
        return give_back(event.rank, event.at_s);
    }
  }

  /// The gather rank does one thing after the other: work(now_s), which takes `least_s` and what
  /// the clock says. Returns when it is done.
  template <class Work>
  double serve(double at_s, double least_s, const Work& work) {
    const double start_s = std::max(at_s, gather_free_s_);
    run_.longest_queue_s = std::max(run_.longest_queue_s, start_s - at_s);
    const double before = farm_.clock ? farm_.clock() : 0;
    work(start_s);
    const double took_s = least_s + (farm_.clock ? farm_.clock() - before : 0);
    gather_free_s_ = start_s + took_s;
    run_.gather_busy_s += took_s;
    return gather_free_s_;
  }

  void ask(int rank, double now_s) {
    if (std::exchange(at(rank).asked, true)) return;
    put(now_s + farm_.latency_s, Kind::want, rank);
  }

  bool try_deal(int rank, double at_s) {
    ++run_.deals;
    std::vector<std::int64_t> items;
    const double now_s = serve(at_s, farm_.gather.deal_s, [&](double start_s) {
      items = dealer_.deal(rank, farm_.lanes, start_s);
    });
    for (const int from : dealer_.take_recalls()) put(now_s + farm_.latency_s, Kind::recall, from);
    if (items.empty()) return false;
    put(now_s + farm_.latency_s, Kind::grant, rank, -1, std::move(items));
    return true;
  }

  void deal(int rank, double at_s) {
    if (try_deal(rank, at_s)) return;
    pending_.push_back(rank);
    if (pending_.size() == 1) put(gather_free_s_ + kAgainSeconds, Kind::again, rank);
  }

  void deal_again(double at_s) {
    for (std::size_t i = std::min(kAgainAtOnce, pending_.size()); i > 0; --i) {
      const int rank = pending_.front();
      pending_.pop_front();
      if (!at(rank).lost && !try_deal(rank, at_s)) pending_.push_back(rank);
    }
    if (pending_.empty()) return;
    put(std::max(at_s + kAgainSeconds, gather_free_s_), Kind::again, pending_.front());
  }

  /// Consecutive items belong to different parts, the first one to the gather rank's.
  void write(int rank, std::int64_t item, double at_s) {
    const std::size_t part = static_cast<std::size_t>(item) % writers_.size();
    if (part == 0) return note(rank, item, at_s, farm_.gather.store_s);
    Writer& writer = writers_[part];
    const double start_s = std::max(at_s, writer.free_s);
    run_.longest_queue_s = std::max(run_.longest_queue_s, start_s - at_s);
    writer.free_s = start_s + farm_.gather.store_s;
    writer.busy_s += farm_.gather.store_s;
    run_.writer_busy_s = std::max(run_.writer_busy_s, writer.busy_s);
    put(writer.free_s + farm_.latency_s, Kind::written, rank, item);
  }

  void note(int rank, std::int64_t item, double at_s, double least_s) {
    std::vector<int> in_vain;
    const double now_s = serve(at_s, least_s, [&](double start_s) {
      if (schedule_.is_finished(item)) {
        ++schedule_.repeats().answered_again;
        return;
      }
      ++run_.stored;
      in_vain = dealer_.finish(rank, item, start_s);
    });
    run_.wall_s = std::max(run_.wall_s, now_s);
    for (const int holder : in_vain) put(now_s + farm_.latency_s, Kind::drop, holder, item);
  }

  void take(int rank, const std::vector<std::int64_t>& items, double now_s) {
    Rank& here = at(rank);
    if (here.lost) return;
    here.asked = false;
    here.queue.insert(here.queue.end(), items.begin(), items.end());
    begin_items(rank, now_s);
  }

  void begin_items(int rank, double now_s) {
    Rank& here = at(rank);
    while (here.free_lanes > 0 && !here.queue.empty()) {
      --here.free_lanes;
      const std::int64_t item = here.queue.front();
      here.queue.pop_front();
      put(now_s + static_cast<double>(seconds_[static_cast<std::size_t>(item)]) / here.speed,
          Kind::lane, rank, item);
    }
    // As farm/request_threshold.hpp.
    if (here.queue.size() < 2 * static_cast<std::size_t>(farm_.lanes)) ask(rank, now_s);
  }

  void end_item(int rank, std::int64_t item, double now_s) {
    if (at(rank).lost) return;
    ++at(rank).free_lanes;
    put(now_s + farm_.latency_s, Kind::result, rank, item);
    begin_items(rank, now_s);
  }

  void give_back(int rank, double now_s) {
    Rank& here = at(rank);
    if (here.lost) return;
    put(now_s + farm_.latency_s, Kind::returned, rank, -1, {here.queue.begin(), here.queue.end()});
    here.queue.clear();
    begin_items(rank, now_s);
  }

  void lose(int rank, double now_s) {
    at(rank).lost = true;
    at(rank).queue.clear();
    dealer_.lose(rank, now_s);
  }

  void finish_report() {
    double speed = 0;
    for (const Rank& rank : ranks_) speed += rank.speed * farm_.lanes;
    const double work_s = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
    run_.ideal_s = speed > 0 ? work_s / speed : 0;
    if (!seconds_.empty()) run_.longest_item_s = *std::ranges::max_element(seconds_);
    run_.repeats = schedule_.repeats();
  }

  const SimulatedFarm& farm_;
  std::span<const float> seconds_;
  Schedule schedule_;
  Dealer dealer_;
  std::vector<Rank> ranks_;
  std::vector<Writer> writers_;  ///< the first one is the gather rank, whose time is not here
  std::priority_queue<Event> events_;
  std::int64_t number_ = 0;
  std::deque<int> pending_;  ///< requests that got nothing
  double gather_free_s_ = 0;
  SimulatedRun run_;
};

}  // namespace

SimulatedRun simulate(const SimulatedFarm& farm, std::span<const float> predicted,
                      std::span<const float> seconds) {
  return Simulation(farm, predicted, seconds).run();
}

}  // namespace tessera::plan
