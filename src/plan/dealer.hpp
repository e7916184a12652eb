// Shares a schedule's items out among ranks of any speed. Pure: times are passed in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/pace.hpp"
#include "plan/schedule.hpp"

namespace tessera::plan {

/// Helpings are shares of measured speed. Until a rank's speed is known it gets a few items to be
/// measured by. A rank that would be done with the next item later than the others with all that is
/// left does not get it, so that a slow one does not hold the end of the job.
class Dealer {
 public:
  Dealer(Schedule& schedule, int ranks);

  /// Items for `rank`, which has `lanes` worker threads; empty when there is nothing for it now.
  /// Ask again until there is: whether a rank would be late changes, and none waits for ever.
  std::vector<std::int64_t> deal(int rank, int lanes, double now_s);
  /// Until everything is done, as far as is known; infinity while nothing is.
  double seconds_left(double now_s) const;
  /// A result has come.
  void finish(int rank, std::int64_t item, double now_s);
  /// The rank will not do these items.
  void give_back(int rank, std::span<const std::int64_t> items, double now_s);

  /// The rank takes no more part, and what it has given back is for the others.
  void retire(int rank);
  /// Ranks that have not retired.
  int alive() const { return alive_; }

 private:
  struct Rank {
    Pace pace;
    int lanes = 1;
    bool retired = false;
    std::optional<double>
        idle_since_s;  ///< since when it has waited for an item that others do sooner
  };
  /// What the ranks of known speed can do together.
  struct Outlook {
    double speed = 0;
    double cost_in_hand = 0;
    int lanes = 0;
    int soonest = -1;      ///< who would be first to be done with the next item
    double soonest_s = 0;  ///< and how long that takes
  };
  const Outlook& look(double now_s);
  double seconds_for_next(const Rank& rank, double now_s) const;
  /// What the rank can take on and still be done when the others are with all that is left;
  /// without bound for the rank that would do the next item soonest, so that always somebody may.
  double cost_in_time(int rank, double now_s);
  /// False once it has been idle for longer than the next item takes it: then something is wrong
  /// with the others.
  bool waits_for_others(Rank& rank, double now_s);
  std::vector<std::int64_t> take_to_measure(const Rank& rank);
  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  double cost_of(std::span<const std::int64_t> items) const;

  Schedule& schedule_;
  std::vector<Rank> ranks_;
  int alive_;
  Outlook outlook_;  ///< as of looked_s_; kept, because many ranks may be waiting at once
  std::optional<double> looked_s_;
};

}  // namespace tessera::plan
