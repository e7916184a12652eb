// Maximum matching of ranks and devices.
#pragma once

#include <vector>

namespace tessera::device {

/// A device that a rank can drive.
struct Reach {
  int device = 0;
  bool near = false;  ///< attached to the rank's own cores
};

/// Assigns one device to each rank, no device twice; -1 = none. `reach` lists the devices of each
/// rank. As many ranks as possible get a device, lower ranks first. Then near devices are
/// preferred, then those listed first. Pure.
std::vector<int> match(const std::vector<std::vector<Reach>>& reach);

}  // namespace tessera::device
