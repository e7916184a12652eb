// Prints the current activity on stderr when no duration can be predicted: on a terminal one line
// that is redrawn, in a log file a new line from time to time.
#pragma once

#include <string>

#include "base/clock.hpp"

namespace tessera::bench {

class StatusLine {
 public:
  StatusLine(std::string command, bool quiet);
  /// Removes the line.
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const std::string& text);

 private:
  std::string command_;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  base::Clock::time_point next_;
};

}  // namespace tessera::bench
