// How long the thread that talks to the other ranks sleeps. MPI wakes nobody, so it looks every so
// often; local events wake it.
#pragma once

#include <chrono>

namespace tessera::farm {

/// Ranks ask with some ms of work in hand, so a look a millisecond is enough unless one is idle.
inline constexpr std::chrono::microseconds kPollInterval{1000};
inline constexpr std::chrono::microseconds kShortPollInterval{100};
inline constexpr std::chrono::microseconds kPollIntervalAlone{50000};
/// While a long message comes in: it comes along only when it is looked after.
inline constexpr std::chrono::microseconds kNoPollInterval{0};

}  // namespace tessera::farm
