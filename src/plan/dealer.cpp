#include "plan/dealer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera::plan {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// The part of its share by lanes that a rank may hold before its speed is known. A rank that is 64
/// times slower than expected still finishes it before the others finish.
constexpr double kMeasuredShare = 1.0 / 64;

}  // namespace

Dealer::Dealer(Schedule& schedule, int ranks)
    : schedule_(schedule),
      ranks_(static_cast<std::size_t>(ranks)),
      holdings_(ranks),
      alive_(ranks),
      not_retired_(ranks),
      forecast_(ranks) {}

double Dealer::cost_of(std::span<const std::int64_t> items) const {
  double cost = 0;
  for (const std::int64_t item : items) cost += schedule_.cost(item);
  return cost;
}

double Dealer::seconds_for_next(const Rank& rank, double now_s) const {
  const double speed = rank.takes_part() ? rank.pace.speed(now_s) : 0;
  return speed > 0 ? (rank.pace.cost_in_hand() + schedule_.next_cost()) / speed : kNever;
}

void Dealer::look_at(int number, double now_s) {
  const Rank& rank = at(number);
  if (!rank.takes_part()) return forecast_.set(number, {});
  forecast_.set(number, {.speed = rank.pace.speed(now_s),
                         .cost_in_hand = rank.pace.cost_in_hand(),
                         .lanes = rank.lanes});
}

const Forecast& Dealer::look(double now_s) {
  forecast_.set_next_cost(schedule_.available() ? schedule_.next_cost() : 0);
  for (int i = 0; i < forecast_.ranks_to_see(); ++i) look_at(forecast_.next_rank(), now_s);
  return forecast_;
}

double Dealer::seconds_left(double now_s) {
  const Forecast& forecast = look(now_s);
  const double cost = schedule_.waiting_cost() + forecast.all_cost_in_hand();
  return forecast.speed() > 0 ? cost / forecast.speed() : kNever;
}

double Dealer::cost_in_time(int number, const Forecast& forecast, double now_s) {
  const Rank& rank = at(number);
  const double speed = rank.pace.speed(now_s);
  const double others = forecast.speed() - speed;
  const int soonest = forecast.soonest();
  if (soonest == number || others <= 0) return kNever;
  const double left = schedule_.waiting_cost() + forecast.cost_in_hand() - rank.pace.cost_in_hand();
  // Items are indivisible: one of the others must do the whole next item.
  const double soonest_s = soonest < 0 ? kNever : seconds_for_next(at(soonest), now_s);
  return std::max(soonest_s, left / others) * speed - rank.pace.cost_in_hand();
}

bool Dealer::waits_for_others(Rank& rank, double now_s) {
  if (!rank.idle_since_s || rank.pace.in_hand() > 0) rank.idle_since_s = now_s;
  return now_s - *rank.idle_since_s < seconds_for_next(rank, now_s);
}

std::vector<std::int64_t> Dealer::take_to_measure(const Rank& rank) {
  const double share = schedule_.share_of(rank.lanes);
  const double room = schedule_.total_cost() * share * kMeasuredShare - rank.pace.cost_in_hand();
  std::vector<std::int64_t> items;
  if (room > 0) items = schedule_.take(share, room);
  while (rank.pace.in_hand() + items.size() < static_cast<std::size_t>(rank.lanes) &&
         schedule_.available()) {
    items.push_back(schedule_.take(0).front());
  }
  return items;
}

std::vector<std::int64_t> Dealer::deal(int number, int lanes, double now_s) {
  Rank& rank = at(number);
  rank.lanes = std::max(1, lanes);
  if (!rank.takes_part()) return {};
  if (!schedule_.available()) return copy_for(number, now_s);
  std::vector<std::int64_t> items;
  const double speed = rank.pace.speed(now_s);
  if (alive_ == 1) {
    items = schedule_.take(1);
  } else if (rank.recalled && rank.pace.in_hand() >= static_cast<std::size_t>(rank.lanes)) {
    return {};  // it would have to return them once more
  } else if (speed == 0) {
    items = take_to_measure(rank);
  } else {
    const Forecast& forecast = look(now_s);
    const double most = cost_in_time(number, forecast, now_s);
    if (most < schedule_.next_cost() && waits_for_others(rank, now_s)) return {};
    // Ranks without a measured speed count by their lanes.
    items = schedule_.take(speed / forecast.speed() * schedule_.share_of(forecast.lanes()), most);
  }
  if (items.empty()) return items;
  rank.idle_since_s.reset();
  rank.recalled = false;
  holdings_.add(number, items);
  rank.pace.grant(cost_of(items), items.size(), now_s);
  look_at(number, now_s);
  return items;
}

std::vector<int> Dealer::finish(int rank, std::int64_t item, double now_s) {
  Holdings::Removed removed = holdings_.remove(item, rank);
  const double cost = schedule_.cost(item);
  for (const int holder : removed.others) {
    at(holder).pace.give_back(cost, 1, now_s);
    look_at(holder, now_s);
  }
  // If the rank was lost meanwhile, its time for the item is unknown.
  if (removed.from_most_likely) at(rank).pace.finish(cost, now_s);
  schedule_.finish(item);
  look_at(rank, now_s);
  return std::move(removed.others);
}

std::int64_t Dealer::give_back(int rank, std::span<const std::int64_t> items, double now_s) {
  const auto [alone, shared] = holdings_.release(rank, items);
  at(rank).pace.give_back(cost_of(alone) + cost_of(shared), alone.size() + shared.size(), now_s);
  schedule_.give_back(alone);
  look_at(rank, now_s);
  return std::ssize(alone);
}

void Dealer::end_recall(int rank, std::span<const std::int64_t> items, double now_s) {
  at(rank).recalled_s.reset();
  schedule_.repeats().recalled += give_back(rank, items, now_s);
}

void Dealer::retire(int rank) {
  if (std::exchange(at(rank).retired, true)) return;
  --not_retired_;
  if (!at(rank).lost) --alive_;
  forecast_.set(rank, {});
}

void Dealer::lose(int number, double now_s) {
  Rank& rank = at(number);
  if (std::exchange(rank.lost, true)) return;
  if (!rank.retired) --alive_;
  auto [alone, shared] = holdings_.release_all(number);
  rank.pace.give_back(cost_of(alone) + cost_of(shared), alone.size() + shared.size(), now_s);
  schedule_.give_back(alone);
  schedule_.repeats().reissued += static_cast<std::int64_t>(alone.size());
  rank.taken = std::move(alone);
  rank.taken.insert(rank.taken.end(), shared.begin(), shared.end());
  look_at(number, now_s);
}

std::vector<std::int64_t> Dealer::regain(int number, double now_s) {
  Rank& rank = at(number);
  if (!std::exchange(rank.lost, false)) return {};
  if (!rank.retired) ++alive_;
  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> dropped;
  for (const std::int64_t item : std::exchange(rank.taken, {})) {
    (schedule_.withdraw(item) ? kept : dropped).push_back(item);
  }
  schedule_.repeats().reissued -= static_cast<std::int64_t>(kept.size());
  holdings_.add(number, kept);
  rank.pace.grant(cost_of(kept), kept.size(), now_s);
  look_at(number, now_s);
  return dropped;
}

}  // namespace tessera::plan
