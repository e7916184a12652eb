// Resolves a --device list to the devices of this rank, in agreement with the other ranks of its
// node.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binding/render_lanes.hpp"
#include "comm/world.hpp"
#include "device/select/assignment.hpp"
#include "job/run_spec.hpp"

namespace tessera::binding {

/// The devices of this rank, and the facts that led to the choice.
struct DeviceChoice {
  std::vector<device::Wanted> requested;
  std::vector<device::DetectedDevice> detected;  ///< by this rank
  std::vector<device::RankDevicesSeen>
      sights;  ///< findings of all ranks of its node; only the fields that the choice needs
  device::NodeChoice of_node;
  ChosenDevices chosen;  ///< by this rank
};

/// Collective. Returns the devices that each rank of this node sees, in the order of node ranks.
std::vector<device::RankDevicesSeen> exchange_detected_devices(
    comm::World& world, const std::vector<device::DetectedDevice>& mine);

enum class Discovery { at_what_is_needed, at_everything };

/// Collective. Resolves `list`, which is the same on every rank, for this rank. All ranks throw an
/// AgreedError if one of them cannot get the devices that the list names. Ranks that share a GPU
/// although the list does not ask for it cause a one-line warning of the gather rank; a driver that
/// crashes while it lists its devices causes one of the rank.
DeviceChoice make_choice(comm::World& world, std::string_view list, const job::RunSpec& run,
                         Discovery look);

/// Calls open(chosen), where `chosen` is the result of choose_devices(asked). If `auto` chose a
/// GPU, the CPU cores are its reserve. If that GPU cannot be opened (it has no free memory, or
/// another process has exclusive use of it), logs a line and calls open() with the CPU
/// cores. For a device that was named, the error of open() is thrown.
void open_chosen(std::string_view asked, const ChosenDevices& chosen, const comm::World& world,
                 const std::function<void(const ChosenDevices&)>& open);
/// The same for lanes.
void open_chosen(std::optional<Lanes>& lanes, std::string_view asked, const ChosenDevices& chosen,
                 const job::RunSpec& run, const comm::World& world);

/// Whether the cores may begin where `auto` chooses a GPU, which joins them once it is open.
enum class Joining { never, under_auto };

/// Collective. Returns only the devices of make_choice(). With Joining::under_auto and --isolate
/// on, ranks that are alone on their nodes do not even wait for the list of devices.
ChosenDevices choose_devices(comm::World& world, std::string_view list, const job::RunSpec& run,
                             Joining joining = Joining::never);

}  // namespace tessera::binding
