#include "farm/worker_pool.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/error.hpp"
#include "base/fault.hpp"
#include "base/run.hpp"
#include "device/device_error.hpp"
#include "report/profiler_range.hpp"

namespace tessera::farm {
namespace {

/// Shorter waits are the overhead of taking an item, and are not traced.
constexpr double kShortestTracedWaitSeconds = 50e-6;

/// Fault points: a slow or hanging machine, or one that stays in the middle of its work.
void stall(report::Stage stage) {
  if (base::fault("worker.slow")) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  base::hang_if_ordered("worker.hang");
  if (stage == report::Stage::plan) return;  // a preview
  base::hold_if_ordered(stage == report::Stage::color ? "worker.hold.color" : "worker.hold");
}

}  // namespace

WorkerPool::WorkerPool(Work& work, Hooks hooks, base::Clock::time_point origin, bool trace)
    : work_(work),
      hooks_(std::move(hooks)),
      origin_(origin),
      trace_(trace),
      queue_(work),
      reports_(static_cast<std::size_t>(work.lanes())),
      threads_(reports_.size()),
      started_(reports_.size()),
      joined_(work.joined()) {
  for (std::size_t lane = 0; lane < reports_.size(); ++lane) {
    reports_[lane].name = fmt::format("worker {}", lane);
    reports_[lane].worker = true;
  }
  const std::scoped_lock lock(mutex_);
  start_live_lanes();
}

/// Requires mutex_. All are counted before the first thread starts, because that thread may lose
/// the lanes of others at once.
void WorkerPool::start_live_lanes() {
  std::vector<int> live;
  for (int lane = 0; lane < work_.lanes(); ++lane) {
    if (!started_[static_cast<std::size_t>(lane)] && !work_.lane_lost(lane)) live.push_back(lane);
  }
  running_ += static_cast<int>(live.size());
  live_lanes_ += static_cast<int>(live.size());
  for (const int lane : live) {
    started_[static_cast<std::size_t>(lane)] = true;
    threads_[static_cast<std::size_t>(lane)] = base::run_thread([this, lane] { run(lane); });
  }
}

void WorkerPool::admit() {
  const int joined = work_.joined();
  if (joined == joined_) return;
  joined_ = joined;
  const std::scoped_lock lock(mutex_);
  start_live_lanes();
}

void WorkerPool::wind_down() {
  queue_.take_back();
  queue_.close();
  grace_.start();
}

WorkerPool::~WorkerPool() {
  abandon();
  join();
}

std::string WorkerPool::failure() const {
  std::scoped_lock lock(mutex_);
  return failure_;
}

std::string WorkerPool::loss() const {
  std::scoped_lock lock(mutex_);
  return loss_;
}

std::vector<report::ThreadReport> WorkerPool::join() {
  while (std::optional<std::thread> thread = take_thread()) thread->join();
  std::vector<report::ThreadReport> reports;
  for (std::size_t lane = 0; lane < reports_.size(); ++lane) {
    if (started_[lane]) reports.push_back(std::move(reports_[lane]));
  }
  reports_.clear();
  return reports;
}

std::optional<std::thread> WorkerPool::take_thread() {
  const std::scoped_lock lock(mutex_);
  const auto thread = std::ranges::find_if(threads_, &std::thread::joinable);
  if (thread == threads_.end()) return std::nullopt;
  return std::move(*thread);
}

void WorkerPool::record(int lane, report::Stage stage, std::int64_t item,
                        base::Clock::time_point start) {
  const auto end = base::Clock::now();
  auto& report = reports_[static_cast<std::size_t>(lane)];
  report.seconds[static_cast<std::size_t>(stage)] += base::seconds_between(start, end);
  const bool short_wait = stage == report::Stage::wait &&
                          base::seconds_between(start, end) < kShortestTracedWaitSeconds;
  if (!trace_ || short_wait) return;
  report::add_span(report, {stage, item, base::seconds_between(origin_, start),
                            base::seconds_between(origin_, end)});
}

void WorkerPool::run(int lane) {
  try {
    while (do_next(lane)) {
    }
    if (work_.lane_lost(lane)) --live_lanes_;
  } catch (const device::DeviceError& error) {
    lose(lane, error.what());
  } catch (const std::exception& error) {
    std::scoped_lock lock(mutex_);
    if (failure_.empty()) failure_ = error.what();
    abandon();
  }
  --running_;
  hooks_.progress();
}

void WorkerPool::lose(int lane, const std::string& why) {
  const std::string what = work_.lose_lane(lane, why);
  queue_.lose(lane);
  std::scoped_lock lock(mutex_);
  loss_ = what;
  start_live_lanes();
  --live_lanes_;
}

/// Takes an item, or parts of one; false if this lane has nothing more to do.
bool WorkerPool::do_next(int lane) {
  const auto waited_from = base::Clock::now();
  const auto step = queue_.next(lane);
  record(lane, report::Stage::wait, -1, waited_from);
  if (!step) return false;
  if (step->help) {
    work_on(*step->help, lane);
  } else {
    make(step->item, lane);
  }
  return true;
}

void WorkerPool::work_on(Active& active, int lane) {
  const int at_once = active.task->parts_at_once(lane);
  for (;;) {
    const ItemQueue::PartRange parts = queue_.take_parts(active, at_once);
    if (parts.count == 0) return;
    const auto start = base::Clock::now();
    try {
      const report::ProfilerRange range(work_.part_stage());
      active.task->run_parts(parts.first, parts.count, lane);
    } catch (const device::DeviceError&) {
      queue_.put_back_parts(active, parts);
      throw;
    }
    record(lane, work_.part_stage(), active.item, start);
    queue_.parts_done(active, parts);
    if (work_.lane_lost(lane)) return;
  }
}

void WorkerPool::make(std::int64_t item, int lane) {
  std::shared_ptr<Active> active;
  const auto begun = base::Clock::now();
  stall(work_.part_stage());
  try {
    active = queue_.share(item, work_.begin(item, lane));
    if (complete(active, lane)) {
      finish(*active, lane, begun);
    } else {
      queue_.put_back(item, active, lane);
    }
  } catch (const device::DeviceError&) {
    queue_.put_back(item, active, lane);
    throw;
  }
}

/// Waits until all parts are done, by any lane; false if this lane must give up first.
bool WorkerPool::complete(const std::shared_ptr<Active>& active, int lane) {
  for (;;) {
    work_on(*active, lane);
    const auto waited_from = base::Clock::now();
    const auto parts = queue_.wait_for_parts(active, lane);
    record(lane, report::Stage::wait, -1, waited_from);
    if (parts != ItemQueue::Parts::more) return parts == ItemQueue::Parts::done;
  }
}

void WorkerPool::finish(Active& active, int lane, base::Clock::time_point begun) {
  auto start = base::Clock::now();
  Result result;
  {
    const report::ProfilerRange range(work_.finish_stage());
    active.task->finish(
        lane, [&](ResultChunk result_chunk) { result.push_back(std::move(result_chunk)); });
    record(lane, work_.finish_stage(), active.item, start);
  }
  start = base::Clock::now();
  if (!result.empty()) {  // empty for an item that was given up
    result.back().start_s = static_cast<float>(base::seconds_between(origin_, begun));
    result.back().seconds = static_cast<float>(base::seconds_between(begun, start));
    const report::ProfilerRange range(report::Stage::send);
    hooks_.send_result(std::move(result));
    record(lane, report::Stage::send, active.item, start);
  }
  queue_.item_done(lane);
  ++completed_;
  hooks_.progress();
}

}  // namespace tessera::farm
