// How a job runs, whatever it is about: what all commands that work on devices or ranks have in
// common.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::job {

/// The base of every job. A command offers the options that mean something for it
/// (run_option()); the other members keep these values.
struct RunSpec {
  std::string device = "auto";
  int threads = 0;            ///< per rank; 0 = all that the affinity mask gives
  bool isolate = true;        ///< each GPU in a process of its own
  int device_timeout_s = 60;  ///< how long that process may be silent without a reason
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  ///< bound per rank
  int checkpoint_s = 30;                                ///< between two checkpoints
  int max_s = 0;                                        ///< of the run; 0 = no limit
  bool quiet = false;
  std::string report;  ///< JSON file, "" = none
  std::string trace;   ///< Chrome trace file, "" = none

  friend bool operator==(const RunSpec&, const RunSpec&) = default;
};

}  // namespace tessera::job
