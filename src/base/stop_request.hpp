// A wish from outside that this process come to an end soon, in good order. SIGTERM, SIGINT,
// SIGUSR1 and SIGUSR2 are such wishes. Schedulers send the first or the third before the time is
// up; some builds of Open MPI's mpirun pass on the fourth, but not the third.
#pragma once

#include <string>

namespace tessera::base {

/// From now on the four signals ask to stop instead of killing. A second one, or kGraceSeconds
/// after the first, the process ends at once with ExitCode::stopped, wherever it is.
void listen_for_stop();
inline constexpr unsigned kGraceSeconds = 6;

/// What the signals do, without one: `why` is what people are told, such as "--max-seconds".
void request_stop(const char* why);

/// Any thread may ask at any time.
bool stop_requested();
/// "SIGTERM"; "" if nobody asked.
std::string stop_reason();

}  // namespace tessera::base
