// The run that a thread works for. Rooms that read files or drive devices know of a run only what
// is here: whether to stop, and where lines for the user go.
#pragma once

#include <fmt/format.h>

#include <cfenv>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/events.hpp"
#include "base/stop_token.hpp"

namespace tessera::base {

/// Whoever starts a run owns what this refers to, until all threads of the run have ended.
struct Run {
  StopToken& stop;
  Events& events;
  /// Path of the tessera program, for child processes; "" = there is none, so nothing that needs
  /// one is started.
  std::string program{};
};

/// The run of the calling thread. A thread without one has a run that nobody stops or hears.
const Run& this_run();

/// While it exists, the calling thread works for a run, with the floating-point environment by
/// which all results are defined: a caller may flush subnormal numbers, or round upwards.
class RunScope {
 public:
  explicit RunScope(const Run& run);
  ~RunScope();
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

 private:
  const Run* before_;
  std::fenv_t environment_{};
};

/// A thread that works for the run of the calling thread.
template <class Work>
std::thread run_thread(Work work) {
  return std::thread([&run = this_run(), work = std::move(work)]() mutable {
    const RunScope scope(run);
    work();
  });
}

/// A line for the user of this thread's run.
template <class... T>
void log(fmt::format_string<T...> text, T&&... values) {
  this_run().events.log(fmt::format(text, std::forward<T>(values)...));
}

/// A status line of this thread's run; one that shows nothing if `quiet`.
std::unique_ptr<StatusLine> status_line(bool quiet);

/// Whether this thread's run is to stop.
inline bool stop_requested() {
  return this_run().stop.requested();
}
/// For loops outside the farm: throws `stopped` if this thread's run is to stop. `where` begins the
/// message.
void throw_if_stopped(const std::string& where);

}  // namespace tessera::base
