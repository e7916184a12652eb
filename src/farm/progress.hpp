// The progress of a farm in a status line.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "base/run.hpp"
#include "plan/dealer.hpp"
#include "plan/schedule.hpp"

namespace tessera::farm {

/// Farms like this one that follow, whose time counts as remaining.
struct Following {
  std::int64_t farms = 0;
  double each_s = 0;  ///< mean time of those before; 0 = none was before
};

class Progress {
 public:
  /// `what`: one word before the bar; `items`: name of the counted things, in the plural. Items of
  /// `schedule` that are already finished do not count as work of this run.
  Progress(std::string what, std::string item, base::StatusLine& line,
           const plan::Schedule& schedule, const Following& following = {});

  /// Shows the progress of `schedule`, the remaining time by its predicted costs, and the ranks
  /// that `dealer` waits for. Prints only at intervals.
  void show(const plan::Schedule& schedule, const plan::Dealer& dealer);

 private:
  std::string what_;
  std::string item_;
  base::StatusLine& line_;
  Following following_;
  base::Clock::time_point start_ = base::Clock::now();
  double found_share_;
  double share_ = 0;
  std::int64_t found_;
};

/// A bar of at most 32 columns in front of `text`, in a line of `columns`; none if it would be
/// short.
std::string with_bar(const std::string& what, double share, const std::string& text, int columns);

/// "40 s left", or "5 min left in all" with farms that follow. This one has taken `elapsed_s` for
/// `done_share` of its work; `share` with what earlier runs have done.
std::string format_left(double elapsed_s, double done_share, double share,
                        const Following& following);

/// "12.3 k a second", "2.4 a minute"
std::string format_rate(double per_second);

/// "waiting for 2 of rank 3"; "" while items are left to assign, or if there is one rank.
std::string format_waiting(const plan::Schedule& schedule, const plan::Dealer& dealer);

}  // namespace tessera::farm
