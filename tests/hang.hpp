// The one limit of tests that wait: whatever has not come by then hangs, however busy the machine
// is.
#pragma once

#include <chrono>

namespace tessera {

inline constexpr std::chrono::seconds kHang{600};

}  // namespace tessera
