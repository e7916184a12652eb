// The options on how a job runs, common to all commands that use devices or ranks.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::job {

/// The base of every job. A command offers the options that apply to it (run_option()); the other
/// members keep these defaults.
struct RunSpec {
  std::string device = "auto";
  int threads = 0;                                      ///< per rank; 0 = all cores of the rank
  bool isolate = true;                                  ///< run each GPU in its own process
  int device_timeout_s = 60;                            ///< timeout for a response of that process
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  ///< bound per rank
  std::uint64_t device_memory_bytes = 0;  ///< bound per GPU and rank; 0 = all free memory
  int checkpoint_s = 30;                  ///< seconds between two checkpoints
  double max_s = 0;                       ///< time limit of the run in seconds; 0 = none
  std::string pool;          ///< folder of independent runs that work together; "" = none
  int pool_shares = 0;       ///< parts of the work that they take; 0 = chosen
  double pool_lease_s = 60;  ///< time without a sign of life after which another run takes over
  bool quiet = false;
  bool json = false;         ///< print JSON instead of text for people
  std::string report;        ///< JSON file, "" = none, "-" = standard output
  std::string trace;         ///< Chrome trace file, "" = none, "-" = standard output
  std::string report_html;   ///< page about the run, "" = none
  bool serve = false;        ///< show that page in browsers during the run
  bool no_token = false;     ///< that page, and those of serve and explore, need no token
  std::string serve_listen;  ///< where, as ServeJob::listen(); "" = on this machine alone

  /// The defaults of the site and of the user that the job has, for files and reports.
  std::string defaults{};

  /// Whether threads record spans of their work.
  bool records_spans() const { return !trace.empty() || !report_html.empty(); }

  friend bool operator==(const RunSpec&, const RunSpec&) = default;
};

}  // namespace tessera::job
