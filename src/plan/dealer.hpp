// Assigns a schedule's items to ranks of any speed. Pure: times are passed in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plan/forecast.hpp"
#include "plan/holdings.hpp"
#include "plan/pace.hpp"
#include "plan/schedule.hpp"

namespace tessera::plan {

/// Batches are proportional to measured speed. A rank of unknown speed gets a few items to be
/// measured by. A rank does not get the next item if it would finish it later than the others
/// finish everything that is left; so a slow rank does not delay the end. When nothing is left to
/// assign and a rank is idle, the slowest rank is asked to return the items that it has not begun.
/// Then the idle rank gets a copy of an item that another rank is predicted to need longer for, or
/// has stalled on.
class Dealer {
 public:
  Dealer(Schedule& schedule, int ranks);

  /// Items for `rank`, which has `lanes` worker threads; empty if there is nothing for it now. Ask
  /// again while it is idle: whether a rank would be late changes, and none waits without end.
  std::vector<std::int64_t> deal(int rank, int lanes, double now_s);
  /// Predicted seconds until everything is done; infinity while no speed is known.
  double seconds_left(double now_s);
  /// Call this when the first result of an item came from `rank` and is stored. Returns the other
  /// ranks that hold the item and can drop it.
  std::vector<int> finish(int rank, std::int64_t item, double now_s);
  /// Ranks that are to return the items that they have not begun, since the last call.
  std::vector<int> take_recalls() { return std::exchange(recalls_, {}); }
  /// The answer of such a rank.
  void end_recall(int rank, std::span<const std::int64_t> items, double now_s);
  /// The rank returns these items without results. Returns how many are assigned again.
  std::int64_t give_back(int rank, std::span<const std::int64_t> items, double now_s);

  /// The rank takes no more items; others get the items that it gave back.
  void retire(int rank);
  /// The rank is lost: its items are assigned again. It may come back.
  void lose(int rank, double now_s);
  /// The rank has come back. Returns the items that it still holds and that others got meanwhile.
  std::vector<std::int64_t> regain(int rank, double now_s);
  int ranks() const { return static_cast<int>(ranks_.size()); }
  /// Each rank that holds items, and how many.
  std::vector<std::pair<int, std::int64_t>> holders() const { return holdings_.holders(); }
  /// Ranks that have neither retired nor been lost.
  int alive() const { return alive_; }
  /// Ranks that have not retired, lost or not.
  int not_retired() const { return not_retired_; }

 private:
  struct Rank {
    Pace pace;
    int lanes = 1;
    bool retired = false;
    bool lost = false;
    bool takes_part() const { return !retired && !lost; }
    /// Since when it has waited because others finish the next item sooner.
    std::optional<double> idle_since_s;
    std::vector<std::int64_t> taken;   ///< items taken from it when it was lost
    double copy_sought_s = 0;          ///< time of the last search for a copy for it
    bool recalled = false;             ///< since it last got items
    std::optional<double> recalled_s;  ///< since when its answer is awaited
  };
  /// The rank that is predicted to finish its items last.
  struct Slowest {
    int rank = -1;
    double seconds = 0;
  };
  /// Looks at some ranks again, so that the forecast follows those that stand still; at all of them
  /// if they are few.
  const Forecast& look(double now_s);
  void look_at(int rank, double now_s);
  double seconds_for_next(const Rank& rank, double now_s) const;
  /// The cost that the rank can take and still finish when the others finish everything that is
  /// left. Unbounded for the rank that would finish the next item first, so that one rank may
  /// always take it.
  double cost_in_time(int rank, const Forecast& forecast, double now_s);
  /// False once it has been idle for longer than it needs for the next item: then something is
  /// wrong with the others.
  bool waits_for_others(Rank& rank, double now_s);
  std::vector<std::int64_t> take_to_measure(const Rank& rank);
  // Used when nothing is left to assign, or nothing may be (dealer_copies.cpp).
  std::vector<std::int64_t> copy_for(int rank, double now_s);
  double seconds_in_hand(const Rank& rank, double now_s) const;
  double seconds_here(const Rank& rank, std::int64_t item, double now_s) const;
  bool waits_for_recall(int from, double now_s);
  Slowest find_slowest(double now_s) const;
  std::optional<std::int64_t> item_to_copy(int& from, double now_s) const;
  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  double cost_of(std::span<const std::int64_t> items) const;

  Schedule& schedule_;
  std::vector<Rank> ranks_;
  Holdings holdings_;
  std::vector<int> recalls_;
  int alive_;
  int not_retired_;
  Forecast forecast_;
};

}  // namespace tessera::plan
