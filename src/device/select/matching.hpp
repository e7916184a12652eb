// As many pairs as there can be between ranks and devices.
#pragma once

#include <vector>

namespace tessera::device {

/// A device that a rank could drive.
struct Reach {
  int device = 0;
  bool near = false;  ///< attached to the rank's own cores
};

/// For each rank one of its devices, no two ranks the same one, or -1. As many ranks as possible
/// get one, the first ranks before others; then near ones are preferred, then those named first.
/// `reach` holds the devices of each rank. Pure.
std::vector<int> match(const std::vector<std::vector<Reach>>& reach);

}  // namespace tessera::device
