// How long the MPI thread sleeps between two polls. MPI cannot wake it; local events can.
#pragma once

#include <chrono>

namespace tessera::farm {

/// Ranks request items while they still have work for some ms, so one poll per millisecond is
/// enough unless a rank is idle.
inline constexpr std::chrono::microseconds kPollInterval{1000};
inline constexpr std::chrono::microseconds kShortPollInterval{100};
inline constexpr std::chrono::microseconds kPollIntervalAlone{50000};
/// While a long message arrives: it makes progress only inside MPI calls.
inline constexpr std::chrono::microseconds kNoPollInterval{0};

}  // namespace tessera::farm
