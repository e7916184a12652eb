// Shows what a run says on stderr.
#pragma once

#include <memory>
#include <string>

#include "base/events.hpp"

namespace tessera::command {

class StderrEvents : public base::Events {
 public:
  /// `launched`: a launcher such as mpirun may stand between this process and the terminal.
  explicit StderrEvents(bool launched) : launched_(launched) {}

  void log(const std::string& text) override;
  /// On a terminal one line that is redrawn, in a log file a new line from time to time.
  std::unique_ptr<base::StatusLine> status_line() override;
  void drivers_loaded() override;

 private:
  bool launched_;
};

}  // namespace tessera::command
