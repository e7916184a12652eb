// What is being done, on stderr, where there is no telling how long it will take: one line that is
// drawn over on a terminal, a line now and then in a log file.
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
