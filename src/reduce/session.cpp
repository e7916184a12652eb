#include "reduce/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "base/bools.hpp"
#include "base/clock.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "binding/device_choice.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "farm/lost_ranks.hpp"
#include "farm/stopped_run.hpp"
#include "farm/thread_reports.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/input/paired_array.hpp"
#include "reduce/input/recut_array.hpp"
#include "reduce/input/regrouped_array.hpp"
#include "reduce/reduce_devices.hpp"

namespace tessera::reduce {

farm::FarmLimits limits_of(const job::ArrayJob& job) {
  const std::size_t room =
      std::clamp<std::size_t>(job.memory_bytes / 32, std::size_t{1} << 20, std::size_t{64} << 20);
  return {.outbox_bytes = room, .inbox_bytes = room};
}

Pass add(Pass earlier, const Pass& later) {
  earlier.work_s += later.work_s;
  earlier.repeats += later.repeats;
  for (const report::RankReport& more : later.ranks) {
    const auto rank = std::ranges::find(earlier.ranks, more.rank, &report::RankReport::rank);
    if (rank == earlier.ranks.end()) {
      earlier.ranks.push_back(more);
      continue;
    }
    farm::merge_threads(rank->threads, more.threads);
    rank->read_s += more.read_s;
    rank->peak_memory_bytes = more.peak_memory_bytes;
    rank->lost = more.lost;  // counted since the start of the run
    rank->restarted = more.restarted;
    rank->openings = more.openings;
    rank->device_memory = more.device_memory;
    rank->meters = more.meters;
  }
  return earlier;
}

Session::Session(comm::World& given_world, job::ArrayJob& given, JobFacts given_facts,
                 std::optional<ReduceCheckpoints>& found, report::LiveRun* given_live,
                 const SharedSlices& given_shared)
    : world(given_world),
      job(given),
      facts(std::move(given_facts)),
      live(given_live),
      shared(given_shared),
      checkpoints(nullptr),
      meters(given_world),
      phases(given_world, facts.command, given.quiet, given.records_spans(), given_live) {
  phases.enter(report::Phase::start);
  resumed.slice_bytes = job.slice_bytes;
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    checkpoints = &found.emplace(job, facts);
    if (shared.found != nullptr) checkpoints->adopt(*shared.found);
    if (const auto& before = checkpoints->found()) {
      resumed = {before->slice_bytes, before->tiles_each, before->shares, before->pass};
    }
  });
  resumed = comm::broadcast_value(world, resumed);
  given.slice_bytes = resumed.slice_bytes;
}

void Session::take(std::unique_ptr<store::ArraySource> x, std::unique_ptr<store::ArraySource> y) {
  source = std::move(x);
  with = std::move(y);
  const bool tells = world.is_root() && !job.quiet && shared.share.whole();
  if (tells && !std::exchange(notes_told_, true)) tell_notes();
}

void open_arrays(Session& session, const job::ReduceJob& job, std::int64_t piece_bytes) {
  std::unique_ptr<store::ArraySource> x = open_source(job, piece_bytes);
  std::unique_ptr<store::ArraySource> y;
  const bool of_pairs = job::pairing_of(job) != job::Pairing::none;
  if (of_pairs) x = open_pairs(job, std::move(x), piece_bytes);
  if (!job.by.empty() && !job.axes.empty()) x = open_regrouped(job, std::move(x));
  if (job.with && !of_pairs) {
    y = open_second(job, *x);
    cut_alike(x, y);
  }
  session.take(std::move(x), std::move(y));
}

void Session::tell_notes() {
  // not crossed: notes are cut
  constexpr std::size_t kMaxNotes = 20;  // of many files
  std::vector<std::string> notes = source->info().notes;
  if (with) std::ranges::copy(with->info().notes, std::back_inserter(notes));
  for (std::size_t i = 0; i < std::min(notes.size(), kMaxNotes); ++i) {
    base::log("{}: {}", facts.command, base::printable(notes[i]));
  }
  if (notes.size() > kMaxNotes) {
    base::log("{}: and {} more such lines", facts.command, notes.size() - kMaxNotes);
  }
}

void check_range(const store::ArraySource& source, const statistics::MissingCounts& missing) {
  const store::ArrayInfo& array = source.info();
  if (missing.range == 0 || missing.total() < plan::element_count(array.shape)) return;
  throw base::usage_error(
      "{}: valid_min, valid_max or valid_range leaves none of {}; --raw reads "
      "what is stored",
      array.name, base::count_of(plan::element_count(array.shape), "element"));
}

std::uint64_t Session::file_bytes() const {
  const bool generated = source->generated() != nullptr && (!with || with->generated() != nullptr);
  if (generated) return 0;
  const store::ArrayInfo& array = source->info();
  const auto elements = static_cast<std::uint64_t>(plan::element_count(array.shape));
  const std::uint64_t bytes = elements * base::element_bytes(array.type);
  return std::max<std::uint64_t>(1, bytes / static_cast<std::uint64_t>(world.size()));
}

void Session::open_devices(const std::function<void(const device::Device&)>& check) {
  phases.enter(report::Phase::find_devices, "looks for devices");
  std::string list;
  comm::agree(world, [&] { list = reduce_devices(job.device, file_bytes(), facts.on_cores); });
  const auto joining =
      file_bytes() == 0 && facts.in_slices ? binding::Joining::under_auto : binding::Joining::never;
  binding::ChosenDevices chosen = binding::choose_devices(world, list, job, joining);
  if (list == device::kAuto && file_bytes() > 0) {
    chosen.list = with_cores(chosen.list);
    tries_devices_ = true;
  }
  phases.enter(report::Phase::open_devices, "opens " + chosen.list);
  comm::agree(world, [&] {
    binding::open_chosen(list, chosen, world, [&](const binding::ChosenDevices& names) {
      devices.emplace(names, job, world, item() + "s");
      // Checked here, while another device can still take its place.
      if (devices->count() == 1 && list != device::kAuto) return;
      for (int device = 0; device < devices->count(); ++device) {
        if (!devices->lost(device)) check_device(device, check);
      }
    });
    devices->meter_by(meters);
    devices->begin_opening();
  });
}

void Session::check_device(int device, const std::function<void(const device::Device&)>& check) {
  try {
    check((*devices)[device]);
  } catch (const device::DeviceError& error) {
    const std::string& name = (*devices)[device].info().name;
    if (devices->drop(device, error.what())) return;
    throw device::DeviceError(fmt::format("{}: {}", name, error.what()));
  }
}

void Session::announce() const {
  const auto& found = checkpoints->found();
  if (!found || job.quiet || !checkpoints->keeps()) return;
  base::log("{}: resuming {}: {} done{}", facts.command, base::printable(checkpoints->path()),
            base::some_are(found->count_finished(), std::ssize(found->finished),
                           item() == "slice" ? "slice" : "item"),
            found->pass > 0 ? fmt::format(", in pass {} over the array", found->pass + 1) : "");
}

farm::FarmResult Session::run_farm(ItemWork& work, ItemSink* sink, farm::FarmLimits limits) {
  work.try_devices(tries_devices_);
  limits.trace = job.records_spans();
  limits.live = live;
  if (job.max_s > 0) limits.until = base::later(world.origin(), job.max_s);
  return farm::run(world,
                   {.work = work,
                    .sink = sink,
                    .costs = std::vector<float>(static_cast<std::size_t>(work.items()), 1.0F),
                    .finished = sink == nullptr ? std::vector<bool>() : sink->to_skip(),
                    .left_out = sink == nullptr ? 0 : sink->left_out(),
                    .label = facts.command,
                    .item = item(),
                    .quiet = job.quiet,
                    .limits = limits});
}

std::string Session::end_checkpoints(base::ExitCode code) {
  return checkpoints != nullptr ? checkpoints->end(code) : "";
}

std::vector<report::RankReport> Session::gather(const ItemWork& work, farm::FarmResult& result) {
  report::RankReport mine = work.report(std::move(result.threads));
  mine.meters = meters.report(true, job.records_spans());
  return farm::gather_reports(world, farm::with_phases(std::move(mine), phases.take_report()));
}

Pass Session::run(ItemWork& work, ItemSink* sink, farm::FarmLimits limits,
                  const std::function<void()>& end) {
  comm::agree(world, [&] {
    if (sink == nullptr) return;
    checkpoints->begin(
        [this, sink] { return sink->checkpoint(checkpoints->blank(job.slice_bytes)); });
  });
  phases.leave();
  const auto start = base::Clock::now();
  farm::FarmResult result;
  try {
    result = run_farm(work, sink, limits);
    end_checkpoints(base::ExitCode::done);
  } catch (farm::Stopped& stopped) {
    const std::string kept = end_checkpoints(stopped.code());
    const std::string why = comm::broadcast_value(world, stopped.what() + kept);
    throw farm::StoppedRun(why,
                           report_stopped(work, sink, std::move(stopped.result()), start, why));
  } catch (const comm::AgreedError& error) {
    const std::string kept = end_checkpoints(error.code());
    throw comm::AgreedError(error.code(), comm::broadcast_value(world, error.what() + kept));
  } catch (...) {
    end_checkpoints(base::ExitCode::failed);
    throw;
  }
  phases.enter(report::Phase::close_file, end ? "closes " + base::join(facts.outputs) : "");
  if (end) {
    comm::agree(world, [&] {
      if (sink != nullptr) end();
    });
  }
  Pass pass{.repeats = result.repeats, .work_s = base::seconds_between(start, base::Clock::now())};
  phases.leave();
  pass.ranks = gather(work, result);
  phases.enter(report::Phase::plan);  // ends if another pass follows
  earlier_passes_ = add(std::move(earlier_passes_), pass);
  return pass;
}

report::ReduceReport Session::report_stopped(ItemWork& work, const ItemSink* sink,
                                             farm::FarmResult result, base::Clock::time_point start,
                                             const std::string& why) {
  phases.leave();
  Pass pass{.repeats = result.repeats, .work_s = base::seconds_between(start, base::Clock::now())};
  pass.ranks = gather(work, result);
  if (!world.is_root()) return {};
  report::ReduceReport run = report(add(std::move(earlier_passes_), pass), {}, sink);
  run.state.stopped = why;
  return run;
}

Pass Session::leave_complete() {
  if (checkpoints != nullptr) {
    for (const std::string& path : facts.outputs) {
      if (!job.quiet) base::log("{}: {} is complete already", facts.command, path);
      // Left by a run that was killed at its end, or while it computed the same output again.
      if (!checkpoints->kept()) continue;
      base::remove_file(base::part_path(path));
      base::remove_file(base::part_path(path) + ".rows");
    }
    checkpoints->remove();
  }
  phases.leave();
  return {.ranks = farm::gather_reports(world, farm::with_phases({}, phases.take_report()))};
}

report::ReduceReport Session::report(Pass pass, const statistics::SpecialCounts& specials,
                                     const ItemSink* sink) const {
  const store::ArrayInfo& array = source->shown().info();
  report::ReduceReport run{.command = facts.command,
                           .version = base::version_and_commit(),
                           .job = facts.describe(),
                           .input = array.name,
                           .kind = array.kind,
                           .type = std::string(base::element_code(array.type, array.is_boolean)),
                           .shape = array.shape,
                           .elements = plan::element_count(array.shape),
                           .nans = specials.nans,
                           .positive_infinities = specials.positive_infinities,
                           .negative_infinities = specials.negative_infinities,
                           .wall_s = base::seconds_between(world.origin(), base::Clock::now()),
                           .work_s = pass.work_s,
                           .found_slices = sink == nullptr ? 0 : sink->found_items(),
                           .in_flight = farm::in_flight_of(world, pass.repeats),
                           .ranks = std::move(pass.ranks)};
  if (array.unpacking) {
    run.decoded =
        report::ReducedDecoding{array.unpacking->scale_factor, array.unpacking->add_offset,
                                run.type, std::string(base::element_code(array.unpacking->stored))};
  }
  run.may_miss = array.missing.has_value();
  // Of a run that found its output complete, too.
  run.missing_fill = std::max<std::int64_t>(0, specials.missing.fill - source->added());
  run.missing_range = specials.missing.range;
  if (sink == nullptr) return run;
  std::uint64_t element_bytes = source->read_bytes_each();
  if (with) element_bytes += with->read_bytes_each();
  farm::put_counts(run.ranks, sink->reduced(), world,
                   [&](report::RankReport& rank, const ReducedCounts& reduced) {
                     rank.slices = reduced.items;
                     rank.elements = reduced.elements / facts.numbers_each;
                     rank.bytes = static_cast<std::uint64_t>(rank.elements) * element_bytes;
                   });
  return run;
}

}  // namespace tessera::reduce
