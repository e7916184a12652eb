// Progress of the run on stderr: a bar on a terminal, otherwise a line at intervals.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "plan/schedule.hpp"

namespace tessera::farm {

class Progress {
 public:
  /// `what`: one word before the bar; `items`: name of the counted things, in the plural.
  Progress(std::string what, std::string items, bool quiet);
  /// Items of `schedule` that are already finished do not count as work of this run.
  Progress(std::string what, std::string items, bool quiet, const plan::Schedule& schedule);
  /// Removes the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the progress of `schedule` and, from its predicted costs, the remaining time. Prints
  /// only at intervals.
  void show(const plan::Schedule& schedule);

 private:
  std::string what_;
  std::string items_;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  base::Clock::time_point start_ = base::Clock::now();
  base::Clock::time_point next_;
  double found_share_ = 0;
  std::int64_t found_ = 0;
};

}  // namespace tessera::farm
