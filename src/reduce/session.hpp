// The stages that reductions with and without --axis share: resume, open devices, run the farm with
// a checkpoint, report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "binding/rank_devices.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"
#include "farm/phases.hpp"
#include "job/arrays/array_job.hpp"
#include "job/arrays/reduce_job.hpp"
#include "reduce/checkpointing.hpp"
#include "reduce/item_sink.hpp"
#include "reduce/item_work.hpp"
#include "reduce/job_facts.hpp"
#include "report/live_run.hpp"
#include "report/reduce_report.hpp"
#include "statistics/output_partials.hpp"
#include "statistics/partial.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// How the interrupted run divided the work, and the pass that it had reached.
struct ResumeState {
  std::uint64_t slice_bytes = 0;
  std::int64_t tiles_each = 0;
  std::int64_t shares = 0;  ///< items per tile, see plan::AxisItems; 0 = there is no checkpoint
  std::int64_t pass = 0;
};

/// Usage error if what is valid, by an attribute, leaves no element of an array that has some.
void check_range(const store::ArraySource& source, const statistics::MissingCounts& missing);

/// Reports and time of a farm over the array.
struct Pass {
  std::vector<report::RankReport> ranks;
  plan::Repeats repeats;
  double work_s = 0;
};

/// A reduction by several runs, each of which makes some of its slices. The checkpoints are those
/// of the gather rank.
struct SharedSlices {
  job::Share share;                                ///< which this run makes
  const store::ReduceCheckpoint* found = nullptr;  ///< what is made already; null = nothing
  store::ReduceCheckpoint* made = nullptr;         ///< receives that, and what this run makes
};

/// For items whose results may be large.
farm::FarmLimits limits_of(const job::ArrayJob& job);

/// Sums the reports of two passes. A rank may have been lost or restarted in between.
Pass add(Pass earlier, const Pass& later);

class Session {
 public:
  /// Collective. Looks for the checkpoint of an earlier run; creates `found` on the gather rank.
  /// Gives the job, which the caller keeps, the slices of the run that is resumed.
  Session(comm::World& given_world, job::ArrayJob& given, JobFacts given_facts,
          std::optional<ReduceCheckpoints>& found, report::LiveRun* given_live,
          const SharedSlices& given_shared);

  /// The arrays to read; the second one, of --with, may be null.
  void take(std::unique_ptr<store::ArraySource> x, std::unique_ptr<store::ArraySource> y = nullptr);
  /// Bytes of elements of files that each rank reads; 0 if all arrays are generated: nothing is
  /// copied to a GPU.
  std::uint64_t file_bytes() const;
  /// Collective. `check` throws DeviceError for a device that lacks memory. The rank then uses its
  /// other devices, or, if `auto` chose that device, its CPU cores.
  void open_devices(const std::function<void(const device::Device&)>& check);

  /// Prints how much finished work the run resumes from, unless the job is quiet.
  void announce() const;
  /// Collective. Runs all items that are not finished yet, saves checkpoints meanwhile, and calls
  /// `end` on the gather rank. `sink` is null elsewhere. If the farm fails, saves the checkpoint
  /// and throws the same error on every rank, with a note about the checkpoint appended; no rank
  /// returns before the checkpoint is on the disk.
  Pass run(ItemWork& work, ItemSink* sink, farm::FarmLimits limits,
           const std::function<void()>& end = {});
  /// Collective. Ends a run whose output is complete already; nothing was run.
  Pass leave_complete();
  /// The report on the gather rank, but for the results. `sink` is null if no item was run.
  report::ReduceReport report(Pass pass, const statistics::SpecialCounts& specials,
                              const ItemSink* sink) const;

  comm::World& world;
  const job::ArrayJob& job;
  const JobFacts facts;
  report::LiveRun* live;  ///< null if nobody wants to know how far the run is
  SharedSlices shared;
  ReduceCheckpoints* checkpoints;  ///< null except on the gather rank
  ResumeState resumed;
  std::unique_ptr<store::ArraySource> source;
  std::unique_ptr<store::ArraySource> with;  ///< the second array, or null
  binding::Meters meters;                    ///< outlives the devices
  std::optional<binding::RankDevices> devices;
  farm::Phases phases;  ///< begins with Phase::start

 private:
  void tell_notes();
  void check_device(int device, const std::function<void(const device::Device&)>& check);
  farm::FarmResult run_farm(ItemWork& work, ItemSink* sink, farm::FarmLimits limits);
  std::string end_checkpoints(base::ExitCode code);
  /// Collective. On the gather rank, of all ranks.
  std::vector<report::RankReport> gather(const ItemWork& work, farm::FarmResult& result);
  /// Collective. The report of a run that is stopped in a pass.
  report::ReduceReport report_stopped(ItemWork& work, const ItemSink* sink, farm::FarmResult result,
                                      base::Clock::time_point start, const std::string& why);

  Pass earlier_passes_;
  bool notes_told_ = false;
  bool tries_devices_ = false;  ///< `auto` has chosen a GPU and the cores
  std::string item() const { return facts.in_slices ? "slice" : "tile"; }
};

/// Opens the arrays of a reduction for its session, in pieces of `piece_bytes`.
void open_arrays(Session& session, const job::ReduceJob& job, std::int64_t piece_bytes);

}  // namespace tessera::reduce
