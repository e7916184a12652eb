// The order in which lanes of reductions are opened while memory is left.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace tessera::binding {

/// Calls open_one(device, round) for each device in turn, so that no device takes all memory. Stops
/// calling it for a device after it returned false, and ends when it did so for every device.
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
