// How far the run is, on stderr: a bar on a terminal, a line now and then in a log file.
#pragma once

#include <string>

#include "base/clock.hpp"

namespace tessera::run {

class Progress {
 public:
  /// `what`: one word in front of the bar.
  Progress(std::string what, bool quiet);
  /// Removes the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` of the predicted work that is finished, in [0, 1]; prints only when it is time to.
  void show(double share);

 private:
  std::string what_;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  base::Clock::time_point start_ = base::Clock::now();
  base::Clock::time_point next_;
};

}  // namespace tessera::run
