// The one struct of numbers from which every report is printed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/schedule.hpp"
#include "report/meters.hpp"

namespace tessera::report {

enum class Stage { open, plan, compute, encode, send, wait, write, color };
inline constexpr std::size_t kStages = 8;
inline constexpr std::array<std::string_view, kStages> kStageNames = {
    "open", "plan", "compute", "encode", "send", "wait", "write", "color"};

/// The parts of Stage::open, on the main thread; their numbers are the items of its spans.
enum class Phase { start, find_devices, open_devices, reference, open_file, plan, close_file };
inline constexpr std::array<std::string_view, 7> kPhaseNames = {
    "start", "find devices", "open devices", "reference orbit", "open file", "plan", "close file"};

/// One bar of the trace: a stage of a thread, with its start and end in seconds since the start of
/// the run.
struct Span {
  Stage stage = Stage::compute;
  std::int64_t item = -1;  ///< tile, band or, of Stage::open, Phase; -1 = none
  double start_s = 0;
  double end_s = 0;
};

/// The times of one thread of a rank.
struct ThreadReport {
  std::string name;     ///< "worker 0", "writer"
  bool worker = false;  ///< included in computing_share()
  std::array<double, kStages> seconds{};
  std::vector<Span> spans;          ///< empty unless a trace is requested
  std::uint64_t spans_dropped = 0;  ///< spans beyond the limit for a thread

  static auto members(auto& self) {
    return std::tie(self.name, self.worker, self.seconds, self.spans, self.spans_dropped);
  }
};

/// Appends a span, or extends the last one if it has the same item and stage (parts of a tile).
/// Beyond 2^16 spans per thread it only counts them, so that the trace of any run fits in memory.
void add_span(ThreadReport& thread, const Span& span);

/// A device that failed during the run; other devices did its work.
struct LostDevice {
  std::string device;
  std::string cause;

  static auto members(auto& self) { return std::tie(self.device, self.cause); }
};

/// How a GPU was opened, for one rank.
struct DeviceOpening {
  /// "process", "driver", "list", "context", "kernels" or "memory", in seconds since the start of
  /// the run.
  struct Part {
    std::string name;
    double start_s = 0;
    double end_s = 0;

    static auto members(auto& self) { return std::tie(self.name, self.start_s, self.end_s); }
  };
  std::string device;  ///< "" = the run ended before it was known which one it would be
  /// "opened" before the work; "joined" the work later; "not needed", as the work was done first;
  /// "refused" or "failed", because of the cause.
  std::string outcome = "opened";
  std::string cause = {};
  double after_s = 0;  ///< when it was open, failed, or was not needed, since the start of the run
  std::vector<Part> parts = {};

  double seconds(std::string_view part) const;

  static auto members(auto& self) {
    return std::tie(self.device, self.outcome, self.cause, self.after_s, self.parts);
  }
};

/// The most memory of its own that a device used at one time, for one rank.
struct DeviceMemory {
  std::string device;
  std::uint64_t peak_bytes = 0;

  static auto members(auto& self) { return std::tie(self.device, self.peak_bytes); }
};

/// The report of one rank of a render or a reduction.
/// Deep pixels whose count f64 leaves open.
struct UncertainPixels {
  std::uint64_t all = 0;
  std::uint64_t on_gpu = 0;          ///< computed again by a GPU
  std::uint64_t with_more_bits = 0;  ///< computed again with more than 106 bits
  std::uint64_t undecided = 0;       ///< that the most bits leave open

  UncertainPixels& operator+=(const UncertainPixels& other) {
    all += other.all;
    on_gpu += other.on_gpu;
    with_more_bits += other.with_more_bits;
    undecided += other.undecided;
    return *this;
  }
};

struct RankReport {
  int rank = 0;
  std::string host;
  std::string device;
  std::vector<ThreadReport> threads;
  // Set by a render.
  std::uint64_t tiles = 0;
  std::uint64_t pixels = 0;
  std::uint64_t iterations = 0;  ///< sum of the counts of its pixels
  std::uint64_t executed = 0;    ///< orbit steps actually executed
  UncertainPixels uncertain;
  // Set by a reduction.
  std::int64_t slices = 0;
  std::int64_t elements = 0;
  double read_s = 0;  ///< part of the workers' compute time, spent reading elements

  std::uint64_t bytes = 0;              ///< encoded chunks, or elements before any compression
  std::uint64_t peak_memory_bytes = 0;  ///< peak resident set size
  std::vector<LostDevice> lost;         ///< in order of time
  std::vector<LostDevice> restarted;    ///< devices with a restarted process, and its cause
  std::vector<DeviceOpening> openings;
  std::vector<DeviceMemory> device_memory;
  std::vector<MeterReport> meters;

  /// Adds the work that another report counts: of tiles and slices, without its threads.
  void add_work(const RankReport& other);
  /// Sum over threads, in seconds.
  double seconds(Stage stage) const;
  /// Worker threads' compute + encode + color time.
  double busy_s() const;
  /// The same, over its worker threads only.
  double worker_seconds(Stage stage) const;
  /// Number of worker threads.
  int workers() const;

  static auto members(auto& self) {
    return std::tie(self.rank, self.host, self.device, self.threads, self.tiles, self.pixels,
                    self.iterations, self.executed, self.uncertain, self.slices, self.elements,
                    self.read_s, self.bytes, self.peak_memory_bytes, self.lost, self.restarted,
                    self.openings, self.device_memory, self.meters);
  }
};

/// A rank that sent no message within the timeout, or that was abandoned at the end with work that
/// was not needed any more. It may have returned.
struct LostRank {
  int rank = 0;
  std::string host;
};

/// Work that was repeated because of lost and slow ranks.
struct InFlight {
  plan::Repeats repeats;  ///< repeated tiles, or bands when a file is coloured
  std::vector<LostRank> lost;
};

/// One start of a job that may have been stopped and resumed.
struct Start {
  double wall_s = 0;
  double worker_s = 0;     ///< wall time of all workers together
  double busy_s = 0;       ///< part of it that they worked
  std::int64_t items = 0;  ///< tiles or slices that it added
  double energy_j = base::kNotTold;
};

/// How a run ended, and the starts of the same job before it.
struct RunState {
  std::string name = "complete";  ///< or "share"
  std::string stopped;            ///< why it was stopped before its end; "" = it was not
  std::vector<Start> earlier;
};

struct RunReport {
  RunState state;
  std::string command;  ///< "render", "color"
  std::string version;  ///< "0.1.0 (commit)"
  double wall_s = 0;    ///< from the start of the process's run to the last byte stored
  std::vector<std::pair<std::string, std::string>> job;      ///< the keys of the job as text
  std::string counts;                                        ///< how true an image's counts are
  std::vector<std::pair<std::string, std::string>> outputs;  ///< "h5" -> path, "png" -> path
  std::uint64_t output_bytes = 0;
  bool found_complete = false;     ///< the image was complete before this run
  std::int64_t found_tiles = 0;    ///< stored by earlier runs; not counted in `ranks`
  std::int64_t damaged_tiles = 0;  ///< stored by earlier runs, found damaged, rendered again
  std::int64_t images = 0;         ///< images of a zoom, or frames of a film; 0 = this is one image
  std::int64_t found_images = 0;   ///< complete before this run
  InFlight in_flight;
  std::vector<RankReport> ranks;
};

/// Busiest rank's busy time over the mean; 1 = perfect. 1 for an empty run.
double load_balance(const RunReport& run);
/// Fraction of the workers' wall time spent computing pixels or colours, in [0, 1]; 0 without
/// workers.
double computing_share(const RunReport& run);
/// The energy of a run, as far as it is known.
struct Energy {
  double cores_j = base::kNotTold;  ///< of all hosts
  double gpus_j = base::kNotTold;   ///< of all GPUs that the ranks drove
  int gpus = 0;                     ///< how many these are

  /// Of what is known.
  double all_j() const;
};
/// Cores and GPUs that several ranks share count once. A sum of which a part is not known is not.
Energy energy_of(std::span<const RankReport> ranks);
/// The sum over all ranks, without spans; its rank is -1.
RankReport totals(std::span<const RankReport> ranks);
/// What a run of `wall_s` was, for the reports of later starts. Its items are the ranks' tiles and
/// slices.
Start start_of(std::span<const RankReport> ranks, double wall_s);

}  // namespace tessera::report
