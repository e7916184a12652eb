// The signals of the process: requests from outside to stop early and in good order, and those that
// would kill it without a word. Schedulers send SIGTERM or SIGUSR1 before the time is up; some
// builds of Open MPI's mpirun forward SIGUSR2 but not SIGUSR1. A lost connection sends SIGHUP,
// `ulimit -t` SIGXCPU.
#pragma once

#include "base/stop_token.hpp"

namespace tessera::command {

/// From now on, a write beyond the limit of file sizes (`ulimit -f`) fails, as on a full disk,
/// instead of killing the process and those that it starts.
void fail_large_writes();

/// From now on, SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP and SIGXCPU request a stop of `token`
/// instead of killing the process; a SIGHUP that was ignored stays ignored. On a second one, or
/// kGraceSeconds after the first, the process ends at once with ExitCode::stopped. A signal within
/// half a second of the first counts as the same request, because timeout(1) and some schedulers
/// signal both the process and its group.
void listen_for_stop(base::StopToken& token);
inline constexpr unsigned kGraceSeconds = 6;
/// For a token whose request, also one without a signal, begins those seconds.
void begin_grace() noexcept;
/// Repeats listen_for_stop(), if it was called, after libraries were loaded that may have replaced
/// the signal handlers, as LLVM in OpenCL drivers does.
void keep_listening();

}  // namespace tessera::command
