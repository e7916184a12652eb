// The devices that the ranks of a run see and would use, and printers for them.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::report {

/// What `devices --check` has found of a device. A rate is 0 where it was not measured.
struct DeviceCheck {
  bool made = false;
  double wall_s = 0;
  double open_s = 0;
  double iterations_per_s = 0;       ///< z^2 + c in f64, without shortcuts
  double memory_bytes_per_s = 0;     ///< c = a + b in the device's memory
  double to_device_bytes_per_s = 0;  ///< from the host's memory, and back
  double from_device_bytes_per_s = 0;
  int compared = 0;                   ///< results that were compared with those of `reference`
  std::vector<std::string> problems;  ///< wrong results, or what failed
  std::vector<std::string> advice;    ///< what to do where something is slow

  static auto members(auto& self) {
    return std::tie(self.made, self.wall_s, self.open_s, self.iterations_per_s,
                    self.memory_bytes_per_s, self.to_device_bytes_per_s,
                    self.from_device_bytes_per_s, self.compared, self.problems, self.advice);
  }
};

/// A device as one rank sees it; unknown members are empty or 0.
struct DeviceLine {
  std::string name;    ///< as --device takes it
  std::string what;    ///< the model
  std::string reason;  ///< why this rank would not use it; "" = it would
  std::uint64_t memory_bytes = 0;
  std::string driver;
  std::string compute;  ///< compute capability or OpenCL C version
  bool fp64 = false;
  bool gpu = false;
  bool near = false;  ///< attached to the rank's own cores
  std::string uuid;
  std::string pci;
  DeviceCheck check;

  static auto members(auto& self) {
    return std::tie(self.name, self.what, self.reason, self.memory_bytes, self.driver, self.compute,
                    self.fp64, self.gpu, self.near, self.uuid, self.pci, self.check);
  }
};

struct RankDevices {
  int rank = 0;
  std::string host;
  int node_rank = 0;  ///< rank number within the node
  int node_ranks = 1;
  int allowed_cores = 0;
  int node_cores = 0;
  std::vector<int> numa_nodes;  ///< NUMA nodes of the allowed cores
  std::vector<DeviceLine> devices;
  std::vector<std::string> uses;  ///< names of the devices that this rank would use
  int workers = 0;                ///< threads that would drive them
  std::string problem;            ///< why a chosen device could not be opened, or ""

  static auto members(auto& self) {
    return std::tie(self.rank, self.host, self.node_rank, self.node_ranks, self.allowed_cores,
                    self.node_cores, self.numa_nodes, self.devices, self.uses, self.workers,
                    self.problem);
  }
};

struct DevicesReport {
  std::string version;
  std::string device_list;  ///< the value of --device
  std::vector<RankDevices> ranks;
};

/// A block for each rank; a rank whose block equals that of the rank before gets a single line.
std::string to_table(const DevicesReport& report, int columns);
/// JSON; docs/report.md lists the keys.
std::string to_json(const DevicesReport& report);

}  // namespace tessera::report
