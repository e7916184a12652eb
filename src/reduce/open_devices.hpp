// The devices of a rank that reduce an array, or parts of it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "binding/rank_devices.hpp"
#include "job/reduce_job.hpp"

namespace tessera::reduce {

struct ReduceDevices {
  const job::ReduceJob& job;
  bool generated = false;  ///< as ReductionKind has it
  std::string items;       ///< as RankDevices has it
};

/// Collective. `check` throws DeviceError for a device that has no room, in which case the rank
/// takes its cores where it was `auto` that chose the device.
void open_reduce_devices(std::optional<binding::RankDevices>& devices, const ReduceDevices& wanted,
                         comm::World& world,
                         const std::function<void(const device::Device&)>& check);

}  // namespace tessera::reduce
