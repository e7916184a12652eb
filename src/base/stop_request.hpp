// Requests from outside to stop early and in good order: SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP
// and SIGXCPU. Schedulers send SIGTERM or SIGUSR1 before the time is up; some builds of Open MPI's
// mpirun forward SIGUSR2 but not SIGUSR1. A lost connection sends SIGHUP, `ulimit -t` SIGXCPU.
#pragma once

#include <string>

namespace tessera::base {

/// From now on, a write beyond the limit of file sizes (`ulimit -f`) fails, as on a full disk,
/// instead of killing the process and those that it starts.
void fail_large_writes();

/// From now on, these signals request a stop instead of killing the process; a SIGHUP that was
/// ignored stays ignored. On a second one, or
/// kGraceSeconds after the first, the process ends at once with ExitCode::stopped. A signal within
/// half a second of the first counts as the same request, because timeout(1) and some schedulers
/// signal both the process and its group.
void listen_for_stop();
inline constexpr unsigned kGraceSeconds = 6;
/// Repeats listen_for_stop(), if it was called, after libraries were loaded that may have replaced
/// the signal handlers, as LLVM in OpenCL drivers does.
void keep_listening();

/// Requests a stop without a signal. `why` is shown to the user, for example "--max-seconds".
void request_stop(const char* why);

/// Any thread may call it at any time.
bool stop_requested();
/// "SIGTERM"; "" without a request.
std::string stop_reason();
/// For loops outside the farm: throws `stopped` if a stop was requested. `where` begins the
/// message.
void throw_if_stopped(const std::string& where);

}  // namespace tessera::base
