// Which devices each rank of a node drives. Pure: every rank comes to the same answer from what all
// of them see.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace tessera::device {

inline constexpr std::string_view kAuto = "auto";
/// What `auto` takes where there is no GPU for a rank.
inline constexpr std::string_view kCores = "cpu";

/// One entry of a --device list.
struct Wanted {
  enum class Kind {
    automatic,  ///< "auto": a GPU of the rank's own, or its cores
    any_of,     ///< "cuda": a device of that backend, shared where ranks outnumber devices
    named,      ///< "cuda:1", "cpu": just that
  };
  Kind kind = Kind::named;
  std::string name;
};

/// A device as a rank sees it.
struct DetectedDevice {
  DeviceInfo info;
  bool near = false;  ///< attached to the cores that the rank may use
  /// To ask for it ended the process that did: unlike a device that is not there, news to people.
  bool crashed = false;
};

/// What one rank sees, in the order of preference.
struct RankDevicesSeen {
  int rank = 0;  ///< number among all ranks, for messages
  std::vector<DetectedDevice> devices;
};

struct NodeChoice {
  std::vector<std::vector<std::string>>
      names;  ///< for each rank: devices as open_devices takes them
  std::vector<std::string> warnings;
};

/// `node` holds what the ranks of a node see, in node order. Under `auto` a GPU goes to one rank,
/// the first ranks first, to its own cores' rank where there are several, and the other ranks take
/// their cores. A device that is seen through several backends counts once, for the first of them.
/// Throws a missing error, for all ranks alike, when one of them has no device of a backend that is
/// asked for.
NodeChoice choose(std::span<const Wanted> wanted, std::span<const RankDevicesSeen> node);

/// Why the rank node[rank] would not use its device `seen` under this choice; "" if it would.
std::string why_not(const DetectedDevice& detected, std::size_t rank,
                    std::span<const Wanted> wanted, std::span<const RankDevicesSeen> node,
                    const NodeChoice& choice);

}  // namespace tessera::device
