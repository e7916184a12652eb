// What the ranks of a run see and would drive, and its printers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace tessera::report {

/// A device as one rank sees it; what is not known is empty or 0.
struct DeviceLine {
  std::string name;    ///< as --device takes it
  std::string what;    ///< for people: the model
  std::string reason;  ///< why this rank would not use it; "" = it would
  std::uint64_t memory_bytes = 0;
  std::string driver;
  std::string compute;  ///< compute capability or OpenCL C version
  bool fp64 = false;
  bool gpu = false;
  bool near = false;  ///< attached to the rank's own cores
  std::string uuid;
  std::string pci;
};

struct RankDevices {
  int rank = 0;
  std::string host;
  int node_rank = 0;  ///< number among the ranks of the node
  int node_ranks = 1;
  int allowed_cores = 0;
  int node_cores = 0;
  std::vector<int> numa_nodes;  ///< of the allowed cores
  std::vector<DeviceLine> devices;
  std::vector<std::string> uses;  ///< names of what this rank would drive
  int workers = 0;                ///< threads that would drive them
  std::string problem;            ///< why it could not, although it was chosen; "" = it could
};

struct DevicesReport {
  std::string version;
  std::string device_list;  ///< what was asked for
  std::vector<RankDevices> ranks;
};

/// A block for each rank; where it would be that of the rank before, a line that says so.
std::string to_table(const DevicesReport& report);
/// JSON; docs/report.md lists the keys.
std::string to_json(const DevicesReport& report);

/// A RankDevices as bytes for a message, and back; throws base::Error (failed) for too few bytes.
base::Bytes serialize(const RankDevices& rank);
RankDevices deserialize_devices(const base::Bytes& bytes);

}  // namespace tessera::report
