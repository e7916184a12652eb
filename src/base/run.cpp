#include "base/run.hpp"

#include "base/error.hpp"

namespace tessera::base {
namespace {

const Run& run_of_nobody() {
  static StopToken stop;
  static Events events;
  static const Run run{stop, events};
  return run;
}

thread_local const Run* current = nullptr;

}  // namespace

const Run& this_run() {
  return current == nullptr ? run_of_nobody() : *current;
}

RunScope::RunScope(const Run& run) : before_(std::exchange(current, &run)) {
  std::fegetenv(&environment_);
  std::fesetenv(FE_DFL_ENV);
}

RunScope::~RunScope() {
  std::fesetenv(&environment_);
  current = before_;
}

std::unique_ptr<StatusLine> status_line(bool quiet) {
  return quiet ? std::make_unique<StatusLine>() : this_run().events.status_line();
}

void throw_if_stopped(const std::string& where) {
  if (!stop_requested()) return;
  throw Error(ExitCode::stopped, fmt::format("{}: stopped by {}; run the same command to resume",
                                             where, this_run().stop.reason()));
}

}  // namespace tessera::base
