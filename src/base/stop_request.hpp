// A wish from outside that this process come to an end soon, in good order. SIGTERM, SIGINT,
// SIGUSR1 and SIGUSR2 are such wishes. Schedulers send the first or the third before the time is
// up; some builds of Open MPI's mpirun pass on the fourth, but not the third.
#pragma once

#include <string>

namespace tessera::base {

/// From now on the four signals ask to stop instead of killing. A second one, or kGraceSeconds
/// after the first, the process ends at once with ExitCode::stopped, wherever it is. What comes
/// within half a second of the first is the same wish, said to the process and to its group, as
/// timeout(1) and some schedulers do.
void listen_for_stop();
inline constexpr unsigned kGraceSeconds = 6;
/// After libraries were loaded that may have taken the signals for themselves, as LLVM does in
/// OpenCL drivers: what listen_for_stop() did is done again, if it was.
void keep_listening();

/// What the signals do, without one: `why` is what people are told, such as "--max-seconds".
void request_stop(const char* why);

/// Any thread may ask at any time.
bool stop_requested();
/// "SIGTERM"; "" if nobody asked.
std::string stop_reason();
/// For loops outside the farm: throws `stopped` once a stop was requested. `where` begins the
/// message.
void throw_if_stopped(const std::string& where);

}  // namespace tessera::base
