// A --device list made concrete for this rank, together with the other ranks of its node.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binding/drive.hpp"
#include "binding/render_lanes.hpp"
#include "comm/world.hpp"
#include "device/select/assignment.hpp"

namespace tessera::binding {

/// How this rank came to its devices.
struct DeviceChoice {
  std::vector<device::Wanted> wanted;
  std::vector<device::DetectedDevice> detected;  ///< by this rank
  std::vector<device::RankDevicesSeen>
      sights;  ///< of the ranks of its node, less what the choice does not need
  device::NodeChoice of_node;
  std::string list;  ///< what this rank is to drive, as Lanes takes it: "cuda:1", "cpu"
};

/// Collective: what each rank of this node sees, in node order.
std::vector<device::RankDevicesSeen> exchange_detected_devices(
    comm::World& world, const std::vector<device::DetectedDevice>& mine);

enum class Discovery { at_what_is_needed, at_everything };

/// Collective: `list`, which is the same on every rank, made concrete for this one. All ranks throw
/// an AgreedError when one of them cannot have what is asked for. Ranks that share a GPU without
/// being told to are a warning of one line, on stderr of the gather rank; drivers that do not
/// survive to be asked for their devices are one of the rank.
DeviceChoice make_choice(comm::World& world, std::string_view list, const Drive& drive,
                         Discovery look);

/// Calls open(chosen), `chosen` being what choose_devices() made of `asked`. What `auto` chose and
/// cannot be opened (a GPU that is full or lets no other program in) is a line on stderr, and the
/// rank takes its cores; what was asked for by name throws as open() does.
void open_chosen(std::string_view asked, const std::string& chosen, const comm::World& world,
                 const std::function<void(std::string_view)>& open);
/// The same of lanes.
void open_chosen(std::optional<Lanes>& lanes, std::string_view asked, const std::string& chosen,
                 const Drive& drive, const comm::World& world);

/// Collective: make_choice() for those who only want to know what to open.
std::string choose_devices(comm::World& world, std::string_view list, const Drive& drive);

}  // namespace tessera::binding
