// --serve, --report-html and `info --html`: a run as a page.
#pragma once

#include <optional>
#include <string>

#include "comm/world.hpp"
#include "command/page/run_server.hpp"
#include "job/image/color_job.hpp"
#include "job/image/render_job.hpp"
#include "report/live_run.hpp"
#include "report/reduce_report.hpp"

namespace tessera::command {

/// The state of a run on the gather rank, for --report-html, and for --serve while the run lasts.
class WatchedRun {
 public:
  /// Collective. `image`: the file that a render writes, else "", and `look` its colours. With
  /// --serve, prints the address.
  WatchedRun(comm::World& world, const job::RunSpec& job, const std::string& command,
             const std::string& title, const std::string& image, const job::Coloring& look = {});
  /// Without end(), the run counts as stopped.
  ~WatchedRun();
  WatchedRun(const WatchedRun&) = delete;
  WatchedRun& operator=(const WatchedRun&) = delete;

  /// Null without --serve and --report-html, and on all other ranks.
  report::LiveRun* live() { return live_ ? &*live_ : nullptr; }
  void end(const std::string& state) {
    if (live_) live_->end(state);
  }

 private:
  std::optional<report::LiveRun> live_;
  std::optional<RunServer> server_;
};

/// Collective. Writes --report-html of a render, with a picture of its file, or `overview` where
/// the file is gone.
void write_run_page(comm::World& world, const job::RenderJob& job, report::LiveRun* live,
                    const report::RunReport& run, const std::string& overview);
/// The same for a reduction. Only on the gather rank.
void write_run_page(const job::RunSpec& job, report::LiveRun& live,
                    const report::ReduceReport& run);

/// Collective. Writes a page about a rendered file; `run`: the facts about its run in the file.
void write_file_page(comm::World& world, const std::string& input, const std::string& output,
                     const report::RunReport& run);

}  // namespace tessera::command
