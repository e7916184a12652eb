// Says on stderr what a run is doing: on a terminal one line that is redrawn, in a log file a new
// line from time to time.
#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/terminal.hpp"

namespace tessera::base {

class StatusLine {
 public:
  /// `launched`: a launcher such as mpirun may stand between this process and the terminal.
  StatusLine(bool quiet, bool launched);
  /// Removes the line from the terminal.
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether show() would print now: on a terminal several times a second, otherwise after 2 s and
  /// then every 10 s.
  bool due() const { return !quiet_ && Clock::now() >= next_; }
  /// Columns for a line on the terminal; 0 if there is no terminal.
  int columns() const { return terminal_ ? terminal_->columns() - 1 : 0; }
  /// Redraws the line, cut to the width of the terminal; without a terminal prints it if it is due.
  void show(const std::string& line);

 private:
  bool quiet_;
  std::unique_ptr<Terminal> terminal_;
  bool drawn_ = false;
  Clock::time_point next_;
};

}  // namespace tessera::base
