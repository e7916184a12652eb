// What lanes of reductions, of whole arrays and along axes, are opened with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::binding {

/// Resident before the first item, under Open MPI 4.1.
inline constexpr std::uint64_t kProgramBytes = std::uint64_t{64} << 20;

/// Calls open_one(device, round) for one lane of each device by turns, so that all have some where
/// memory ends, until it was false for every device.
template <class OpenOne>
void open_in_rounds(int devices, const OpenOne& open_one) {
  std::vector<bool> full(static_cast<std::size_t>(devices));
  for (int round = 0; !std::ranges::all_of(full, std::identity()); ++round) {
    for (int device = 0; device < devices; ++device) {
      const auto d = static_cast<std::size_t>(device);
      if (!full[d]) full[d] = !open_one(device, round);
    }
  }
}

}  // namespace tessera::binding
