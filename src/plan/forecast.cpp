#include "plan/forecast.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace tessera::plan {
namespace {

/// Seconds of a rank of unknown speed.
constexpr double kNotKnown = std::numeric_limits<double>::infinity();
/// Ranks that are looked at in each turn: all of a small run.
constexpr int kSeenAtOnce = 8;

}  // namespace

Forecast::Forecast(int ranks)
    : seen_(static_cast<std::size_t>(ranks)),
      seconds_(static_cast<std::size_t>(ranks), kNotKnown),
      leaves_(std::bit_ceil(static_cast<std::size_t>(std::max(ranks, 1)))) {
  winners_.assign(2 * leaves_, -1);
}

void Forecast::Sums::add(const Seen& seen, int sign) {
  all_cost_in_hand += sign * seen.cost_in_hand;
  if (seen.speed <= 0) return;
  speed += sign * seen.speed;
  cost_in_hand += sign * seen.cost_in_hand;
  lanes += sign * seen.lanes;
}

double Forecast::seconds_of(std::size_t rank) const {
  const Seen& seen = seen_[rank];
  return seen.speed > 0 ? (seen.cost_in_hand + next_cost_) / seen.speed : kNotKnown;
}

void Forecast::choose(std::size_t node) {
  const int left = winners_[2 * node];
  const int right = winners_[2 * node + 1];
  const bool right_wins = left < 0 || (right >= 0 && seconds_[static_cast<std::size_t>(right)] <
                                                         seconds_[static_cast<std::size_t>(left)]);
  winners_[node] = right_wins ? right : left;
}

void Forecast::set(int number, const Seen& seen) {
  const auto rank = static_cast<std::size_t>(number);
  const Seen before = std::exchange(seen_[rank], seen);
  sums_.add(before, -1);
  sums_.add(seen, 1);
  if (rank < cursor_) {
    fresh_.add(before, -1);
    fresh_.add(seen, 1);
  }
  play(number);
}

/// Above a pair that the rank neither wins nor won, nothing changes.
void Forecast::play(int number) {
  const auto rank = static_cast<std::size_t>(number);
  seconds_[rank] = seconds_of(rank);
  std::size_t node = leaves_ + rank;
  winners_[node] = seconds_[rank] == kNotKnown ? -1 : number;
  while ((node /= 2) > 0) {
    const int before = winners_[node];
    choose(node);
    if (before == winners_[node] && before != number) return;
  }
}

int Forecast::ranks_to_see() const {
  return std::min(kSeenAtOnce, static_cast<int>(seen_.size()));
}

int Forecast::next_rank() {
  if (cursor_ == seen_.size()) {
    sums_ = std::exchange(fresh_, {});
    cursor_ = 0;
  }
  fresh_.add(seen_[cursor_], 1);  // set() changes both
  return static_cast<int>(cursor_++);
}

int Forecast::soonest() const {
  return winners_[1];
}

}  // namespace tessera::plan
