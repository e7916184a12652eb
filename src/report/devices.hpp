// The devices that the ranks of a run see and would use, and printers for them.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::report {

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

  static auto members(auto& self) {
    return std::tie(self.name, self.what, self.reason, self.memory_bytes, self.driver, self.compute,
                    self.fp64, self.gpu, self.near, self.uuid, self.pci);
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
