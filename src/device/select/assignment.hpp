// Which devices each rank of a node drives. Pure: all ranks compute the same choice from the same
// list of detected devices.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace tessera::device {

inline constexpr std::string_view kAuto = "auto";
/// A GPU of any backend.
inline constexpr std::string_view kAnyGpu = "gpu";
/// The device that `auto` gives to a rank without a GPU.
inline constexpr std::string_view kCores = "cpu";

/// One entry of a --device list.
struct Wanted {
  enum class Kind {
    automatic,  ///< "auto": a GPU that no other rank uses, or the CPU cores
    any_of,  ///< "cuda", "gpu": a device of that backend, or a GPU, shared if there are more ranks
    named,   ///< "cuda:1", "cpu": exactly that device
  };
  Kind kind = Kind::named;
  std::string name;
};

/// A device as one rank sees it.
struct DetectedDevice {
  DeviceInfo info;
  bool near = false;  ///< attached to the cores that the rank may use
  /// Its discovery ended the process that listed it. Unlike a missing device, this is reported.
  bool crashed = false;

  static auto members(auto& self) { return std::tie(self.info, self.near, self.crashed); }
};

/// The devices that one rank sees, in order of preference.
struct RankDevicesSeen {
  int rank = 0;  ///< global rank, for messages
  std::vector<DetectedDevice> devices;

  static auto members(auto& self) { return std::tie(self.rank, self.devices); }
};

struct NodeChoice {
  std::vector<std::vector<std::string>>
      names;  ///< for each rank, in the form that open_devices() takes
  std::vector<std::string> warnings;
};

/// `node` holds the detected devices of all ranks of a node, in node order. With `auto`, each GPU
/// goes to at most one rank, to lower ranks first. Among these ranks, those whose cores are near a
/// GPU get that one. The other ranks use their cores. A device that several backends show counts
/// once, under the first backend. Throws a missing error on all ranks if one of them has no device
/// of a requested backend.
NodeChoice choose(std::span<const Wanted> requested, std::span<const RankDevicesSeen> node);

/// Why the rank node[rank] does not use its device `detected` under this choice; "" if it does.
std::string why_not(const DetectedDevice& detected, std::size_t rank,
                    std::span<const Wanted> requested, std::span<const RankDevicesSeen> node,
                    const NodeChoice& choice);

}  // namespace tessera::device
