// How far the run is, on stderr: a bar on a terminal, a line now and then in a log file.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "plan/schedule.hpp"

namespace tessera::farm {

class Progress {
 public:
  /// `what`: one word in front of the bar; `items`: what is counted, in the plural.
  Progress(std::string what, std::string items, bool quiet);
  /// What of `schedule` is finished now was not this run's work.
  Progress(std::string what, std::string items, bool quiet, const plan::Schedule& schedule);
  /// Removes the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// How far `schedule` is, and by its predicted costs how long it will take; prints only when it
  /// is time to.
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
