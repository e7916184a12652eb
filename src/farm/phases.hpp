// The phases of a rank before and after its farms, such as opening devices: spans for the trace,
// and a line for the user if it takes long.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/periodic_task.hpp"
#include "base/run.hpp"
#include "comm/world.hpp"
#include "report/live_run.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

class Phases {
 public:
  /// `command` begins each line. Only the gather rank prints, and only
  /// it has `live`.
  Phases(const comm::World& world, std::string command, bool quiet, bool trace,
         report::LiveRun* live = nullptr);

  /// Ends the current phase and begins the next one; Phase::start began with the run. `text` is
  /// what the user reads, such as "opens cuda:0"; "" if something else informs the user.
  void enter(report::Phase phase, const std::string& text = "");
  /// Ends the current phase; a farm follows, or nothing more.
  void leave();
  /// The main thread's report.
  const report::ThreadReport& report() const { return report_; }
  /// The same since the last call.
  report::ThreadReport take_report() { return std::exchange(report_, {.name = kMainThread}); }

 private:
  static constexpr const char* kMainThread = "main";

  void end();

  base::Clock::time_point origin_;
  std::string command_;
  bool quiet_;
  bool trace_;
  report::LiveRun* live_;
  report::Phase phase_ = report::Phase::start;
  double start_s_ = 0;
  bool inside_ = false;
  report::ThreadReport report_{.name = kMainThread};
  std::unique_ptr<base::StatusLine> line_;
  std::unique_ptr<base::PeriodicTask> showing_;  ///< ends before `line_`
};

/// The report of a rank with the main thread's in front.
report::RankReport with_phases(report::RankReport report, report::ThreadReport phases);

}  // namespace tessera::farm
