// The one struct of numbers from which every report is printed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/schedule.hpp"

namespace tessera::report {

enum class Stage { plan, compute, encode, send, wait, write, color };
inline constexpr std::size_t kStages = 7;
inline constexpr std::array<std::string_view, kStages> kStageNames = {
    "plan", "compute", "encode", "send", "wait", "write", "color"};

/// One bar of the trace: what a thread did from when to when, in seconds since the run started.
struct Span {
  Stage stage = Stage::compute;
  std::int64_t item = -1;  ///< tile or band; -1 = none
  double start_s = 0;
  double end_s = 0;
};

/// All that one thread of a rank did.
struct ThreadReport {
  std::string name;     ///< "worker 0", "writer"
  bool worker = false;  ///< counts in the share of time in which workers were computing
  std::array<double, kStages> seconds{};
  std::vector<Span> spans;          ///< filled only when a trace is asked for
  std::uint64_t spans_dropped = 0;  ///< beyond what is kept of a thread
};

/// Appends a span, or lengthens the last one when it goes on with the same item and stage (the
/// parts of a tile). Beyond 2^16 spans a thread they are only counted, so that a trace of a run of
/// any length fits in memory.
void add_span(ThreadReport& thread, const Span& span);

/// A device that failed in mid-run: others did its work.
struct LostDevice {
  std::string device;
  std::string cause;
};

/// What one rank did in a render or in a reduction.
struct RankReport {
  int rank = 0;
  std::string host;
  std::string device;
  std::vector<ThreadReport> threads;
  // Of a render.
  std::uint64_t tiles = 0;
  std::uint64_t pixels = 0;
  std::uint64_t iterations = 0;  ///< sum of the counts of its pixels
  std::uint64_t executed = 0;    ///< orbit steps really carried out
  // Of a reduction.
  std::int64_t slices = 0;
  std::int64_t elements = 0;
  double read_s = 0;  ///< the part of its workers' compute time in which they read elements

  std::uint64_t bytes = 0;              ///< of encoded chunks; of elements, however they are stored
  std::uint64_t peak_memory_bytes = 0;  ///< largest resident size
  std::vector<LostDevice> lost;         ///< in the order in which it happened
  std::vector<LostDevice> restarted;    ///< of devices whose process ended: why it did

  /// Sum over threads, in seconds.
  double seconds(Stage stage) const;
  /// Worker threads' compute + encode + color time.
  double busy_s() const;
  /// The same, over its worker threads only.
  double worker_seconds(Stage stage) const;
  /// Number of worker threads.
  int workers() const;
};

/// A rank of which nothing was heard for too long, or which was left behind with work that nobody
/// needed; it may have come back.
struct LostRank {
  int rank = 0;
  std::string host;
};

/// What it took to do without lost and slow ranks.
struct InFlight {
  plan::Repeats repeats;  ///< of tiles, or of bands of a picture that is made of a file
  std::vector<LostRank> lost;
};

struct RunReport {
  std::string command;  ///< "render", "color"
  std::string version;  ///< "0.1.0 (commit)"
  double wall_s = 0;    ///< from the start of the process's run to the last byte stored
  std::vector<std::pair<std::string, std::string>> job;      ///< the keys of the job as text
  std::vector<std::pair<std::string, std::string>> outputs;  ///< "h5" -> path, "png" -> path
  std::uint64_t output_bytes = 0;
  std::int64_t found_tiles = 0;    ///< that earlier runs had stored; the ranks' tiles are others
  std::int64_t damaged_tiles = 0;  ///< that earlier runs had stored, and were rendered again
  InFlight in_flight;
  std::vector<RankReport> ranks;
};

/// Busiest rank's busy time over the mean; 1 = perfect. 1 for an empty run.
double load_balance(const RunReport& run);
/// Share of the workers' wall time spent computing pixels or colours, in [0, 1]; 0 without workers.
double computing_share(const RunReport& run);
/// All ranks as if they were one, spans left out; its rank is -1.
RankReport totals(std::span<const RankReport> ranks);

}  // namespace tessera::report
