// The end of a job: a slow rank returns the items that it has not begun. Items in progress on one
// rank are also assigned to another, and the first result counts. So no straggler delays the end.
#include <algorithm>

#include "plan/dealer.hpp"

namespace tessera::plan {
namespace {

/// A copy must be predicted to finish sooner than the original by this factor: predictions err, and
/// the ranks may share cores.
constexpr double kSooner = 1.5;
/// An item that will be finished within this time is not worth a message.
constexpr double kMinSeconds = 0.05;
/// Waiting ranks ask continuously, and each search looks at all ranks; so searches are spaced.
constexpr double kSeekIntervalSeconds = 0.01;
constexpr double kSeekSecondsEach = 1e-4;
/// How long copies wait for the answer of a rank whose items are recalled.
constexpr double kRecallSeconds = 1;
/// Assumed time of an item on a rank that has never delivered one.
constexpr double kUnknownSeconds = 1;

}  // namespace

/// Predicted from its pace. A rank that has delivered nothing for a time is expected to need as
/// long again.
double Dealer::seconds_in_hand(const Rank& rank, double now_s) const {
  if (rank.pace.in_hand() == 0 || !rank.takes_part()) return 0;
  const double speed = rank.pace.speed(now_s);
  const double predicted_s = speed > 0 ? rank.pace.cost_in_hand() / speed : 0;
  return std::max(predicted_s, rank.pace.standing_s(now_s));
}

double Dealer::seconds_here(const Rank& rank, std::int64_t item, double now_s) const {
  const double speed = rank.pace.speed(now_s);
  return speed > 0 ? schedule_.cost(item) / speed : kUnknownSeconds;
}

Dealer::Slowest Dealer::find_slowest(double now_s) const {
  Slowest slowest;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const double seconds = seconds_in_hand(ranks_[i], now_s);
    const auto number = static_cast<int>(i);
    if (seconds > slowest.seconds && holdings_.last_uncopied(number)) slowest = {number, seconds};
  }
  return slowest;
}

/// The item that the slowest rank got last; it may not have begun it. If a window blocks further
/// items, the item that blocks the window.
std::optional<std::int64_t> Dealer::item_to_copy(int& from, double now_s) const {
  if (schedule_.exhausted()) {
    from = find_slowest(now_s).rank;
    return from < 0 ? std::nullopt : holdings_.last_uncopied(from);
  }
  from = holdings_.only_holder(schedule_.first_unfinished());
  if (from < 0) return std::nullopt;
  return schedule_.first_unfinished();
}

/// Asks the rank, once, for what it has not begun: it has more items than worker threads. True
/// while its answer is awaited.
bool Dealer::waits_for_recall(int from, double now_s) {
  Rank& rank = at(from);
  if (!rank.recalled && rank.pace.in_hand() > static_cast<std::size_t>(rank.lanes)) {
    rank.recalled = true;
    rank.recalled_s = now_s;
    recalls_.push_back(from);
  }
  return rank.recalled_s && now_s - *rank.recalled_s < kRecallSeconds;
}

std::vector<std::int64_t> Dealer::copy_for(int number, double now_s) {
  Rank& rank = at(number);
  if (alive_ == 1 || schedule_.complete() || rank.pace.in_hand() > 0) return {};
  const double interval_s =
      std::max(kSeekIntervalSeconds, kSeekSecondsEach * static_cast<double>(ranks_.size()));
  if (now_s - rank.copy_sought_s < interval_s) return {};
  rank.copy_sought_s = now_s;
  int from = -1;
  const auto item = item_to_copy(from, now_s);
  if (!item || from == number) return {};
  const double there_s = seconds_in_hand(at(from), now_s);
  const double here_s = seconds_here(rank, *item, now_s);
  if (there_s < kMinSeconds || there_s < kSooner * here_s) return {};
  if (waits_for_recall(from, now_s)) return {};
  holdings_.add_copy(number, *item);
  rank.pace.grant(schedule_.cost(*item), 1, now_s);
  ++schedule_.repeats().copied;
  look_at(number, now_s);
  return {*item};
}

}  // namespace tessera::plan
