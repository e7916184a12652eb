// Shares a schedule's items out among ranks of any speed. Pure: times are passed in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/holdings.hpp"
#include "plan/pace.hpp"
#include "plan/schedule.hpp"

namespace tessera::plan {

/// Helpings are shares of measured speed. Until a rank's speed is known it gets a few items to be
/// measured by. A rank that would be done with the next item later than the others with all that is
/// left does not get it, so that a slow one does not hold the end of the job. When nothing is left
/// to hand out, a rank without work gets a copy of what another one is predicted to take longer
/// for, or stands still with.
class Dealer {
 public:
  Dealer(Schedule& schedule, int ranks);

  /// Items for `rank`, which has `lanes` worker threads; empty when there is nothing for it now.
  /// Ask again until there is: whether a rank would be late changes, and none waits for ever.
  std::vector<std::int64_t> deal(int rank, int lanes, double now_s);
  /// Until everything is done, as far as is known; infinity while nothing is.
  double seconds_left(double now_s) const;
  /// The first result of an item has come, from `rank`, and is stored. Returns the others that
  /// have the item too, and need not do it.
  std::vector<int> finish(int rank, std::int64_t item, double now_s);
  /// The rank will not do these items.
  void give_back(int rank, std::span<const std::int64_t> items, double now_s);

  /// The rank takes no more part, and what it has given back is for the others.
  void retire(int rank);
  /// Nothing is heard of the rank: what it has is for the others. It may come back.
  void lose(int rank, double now_s);
  /// It has come back. Returns what it still has and others have got meanwhile.
  std::vector<std::int64_t> regain(int rank, double now_s);
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
    std::optional<double>
        idle_since_s;  ///< since when it has waited for an item that others do sooner
    std::vector<std::int64_t> taken;  ///< from it, when it was lost
    double copy_sought_s = 0;         ///< when it was last looked for a copy for it
  };
  /// The rank that is predicted to be done last with what it has.
  struct Slowest {
    int rank = -1;
    double seconds = 0;
  };
  /// What the ranks of known speed can do together.
  struct Forecast {
    double speed = 0;
    double cost_in_hand = 0;
    int lanes = 0;
    int soonest = -1;      ///< who would be first to be done with the next item
    double soonest_s = 0;  ///< and how long that takes
  };
  const Forecast& look(double now_s);
  double seconds_for_next(const Rank& rank, double now_s) const;
  /// What the rank can take on and still be done when the others are with all that is left;
  /// without bound for the rank that would do the next item soonest, so that always somebody may.
  double cost_in_time(int rank, double now_s);
  /// False once it has been idle for longer than the next item takes it: then something is wrong
  /// with the others.
  bool waits_for_others(Rank& rank, double now_s);
  std::vector<std::int64_t> take_to_measure(const Rank& rank);
  // When nothing is left to hand out, or nothing may be (dealer_copies.cpp).
  std::vector<std::int64_t> copy_for(int rank, double now_s);
  double seconds_in_hand(const Rank& rank, double now_s) const;
  double seconds_here(const Rank& rank, std::int64_t item, double now_s) const;
  Slowest find_slowest(double now_s) const;
  std::optional<std::int64_t> item_to_copy(int& from, double now_s) const;
  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  double cost_of(std::span<const std::int64_t> items) const;

  Schedule& schedule_;
  std::vector<Rank> ranks_;
  Holdings holdings_;
  int alive_;
  int not_retired_;
  Forecast forecast_;  ///< as of looked_s_; kept, because many ranks may be waiting at once
  std::optional<double> looked_s_;
};

}  // namespace tessera::plan
