#include "run/worker_pool.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/error.hpp"
#include "device/device.hpp"
#include "report/profiler_range.hpp"

namespace tessera::run {
namespace {

int count_devices(const Work& work) {
  int devices = 1;
  for (int lane = 0; lane < work.lanes(); ++lane) {
    devices = std::max(devices, work.device_of_lane(lane) + 1);
  }
  return devices;
}

/// How often a lane that leaves an item to a faster device looks whether that is still right.
constexpr std::chrono::milliseconds kReconsider(10);

/// Shorter waits are the cost of taking an item, not worth a bar in the trace.
constexpr double kShortestTracedWaitSeconds = 50e-6;

}  // namespace

struct WorkerPool::Active {
  std::int64_t item = 0;
  std::unique_ptr<Task> task;
  int parts = 0;
  std::atomic<int> next = 0;     ///< first part that nobody has taken
  std::atomic<int> pending = 0;  ///< parts not done yet
  std::vector<int> put_back;     ///< parts of lanes that were lost with them; guarded by mutex_

  /// mutex_ is held.
  bool has_parts() const { return next < parts || !put_back.empty(); }
};

WorkerPool::WorkerPool(Work& work, Hooks hooks, base::Clock::time_point origin, bool trace)
    : work_(work),
      hooks_(std::move(hooks)),
      origin_(origin),
      trace_(trace),
      race_(count_devices(work)),
      running_(work.live_lanes()),
      live_lanes_(running_.load()),
      reports_(static_cast<std::size_t>(work.lanes())) {
  for (int lane = 0; lane < work.lanes(); ++lane) {
    auto& report = reports_[static_cast<std::size_t>(lane)];
    report.name = fmt::format("worker {}", lane);
    report.worker = true;
    if (work.lane_lost(lane)) continue;
    threads_.emplace_back([this, lane] { run(lane); });
  }
}

WorkerPool::~WorkerPool() {
  abandon();
  join();
}

void WorkerPool::add(std::span<const std::int64_t> items, double left_s) {
  std::scoped_lock lock(mutex_);
  end_s_ = now_s() + left_s;
  queue_.insert(queue_.end(), items.begin(), items.end());
  changed_.notify_all();
}

std::size_t WorkerPool::queued() const {
  std::scoped_lock lock(mutex_);
  return queue_.size();
}

void WorkerPool::close() {
  std::scoped_lock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void WorkerPool::abandon() {
  std::scoped_lock lock(mutex_);
  abandoned_ = true;
  queue_.clear();
  changed_.notify_all();
}

std::string WorkerPool::failure() const {
  std::scoped_lock lock(mutex_);
  return failure_;
}

std::string WorkerPool::loss() const {
  std::scoped_lock lock(mutex_);
  return loss_;
}

std::vector<std::int64_t> WorkerPool::take_back() {
  std::scoped_lock lock(mutex_);
  std::vector<std::int64_t> items(queue_.begin(), queue_.end());
  queue_.clear();
  return items;
}

std::vector<report::ThreadReport> WorkerPool::join() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  return std::move(reports_);
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

std::shared_ptr<WorkerPool::Active> WorkerPool::find_help_wanted() const {
  for (const auto& active : active_) {
    if (active->has_parts()) return active;
  }
  return nullptr;
}

void WorkerPool::run(int lane) {
  try {
    while (do_next(lane)) {
    }
  } catch (const device::DeviceError& error) {
    lose(lane, error.what());
  } catch (const std::exception& error) {
    std::scoped_lock lock(mutex_);
    if (failure_.empty()) failure_ = error.what();
    abandoned_ = true;
    changed_.notify_all();
  }
  --running_;
  hooks_.progress();
}

void WorkerPool::lose(int lane, const std::string& why) {
  const std::string what = work_.lose_lane(lane, why);
  std::scoped_lock lock(mutex_);
  loss_ = what;
  race_.lose(work_.device_of_lane(lane));
  --live_lanes_;
  changed_.notify_all();
}

/// mutex_ is held.
bool WorkerPool::may_begin(int lane) const {
  if (queue_.empty()) return false;
  return race_.in_time(work_.device_of_lane(lane), queue_.size(), end_s_, now_s());
}

/// An item or some parts of one; false when this lane has nothing more to do.
bool WorkerPool::do_next(int lane) {
  std::int64_t item = -1;
  std::shared_ptr<Active> help;
  bool begins = false;
  {
    std::unique_lock lock(mutex_);
    const auto waited_from = base::Clock::now();
    const auto found = [&] {
      begins = may_begin(lane);
      help = begins ? nullptr : find_help_wanted();
      // What is begun may come back, so a closed pool waits for that too.
      const bool over = closed_ && queue_.empty() && begun_ == 0;
      return begins || help || over || abandoned_ || work_.lane_lost(lane);
    };
    while (!found()) {
      if (queue_.empty()) {
        changed_.wait(lock);
      } else {
        changed_.wait_for(lock, kReconsider);
      }
    }
    record(lane, report::Stage::wait, -1, waited_from);
    if (abandoned_) return false;
    if (work_.lane_lost(lane)) {
      --live_lanes_;
      return false;
    }
    if (begins) {
      item = queue_.front();
      queue_.pop_front();
      ++begun_;
      race_.begin(work_.device_of_lane(lane), now_s());
    } else if (!help) {
      return false;  // closed
    }
  }
  if (help) {
    work_on(*help, lane);
  } else {
    make(item, lane);
  }
  return true;
}

std::optional<int> WorkerPool::take_part(Active& active) {
  if (abandoned_) return std::nullopt;
  if (const int part = active.next++; part < active.parts) return part;
  std::scoped_lock lock(mutex_);
  if (active.put_back.empty()) return std::nullopt;
  const int part = active.put_back.back();
  active.put_back.pop_back();
  return part;
}

void WorkerPool::put_back_part(Active& active, int part) {
  std::scoped_lock lock(mutex_);
  active.put_back.push_back(part);
  changed_.notify_all();
}

void WorkerPool::work_on(Active& active, int lane) {
  while (const auto part = take_part(active)) {
    const auto start = base::Clock::now();
    try {
      const report::ProfilerRange range(work_.part_stage());
      active.task->run_part(*part, lane);
    } catch (const device::DeviceError&) {
      put_back_part(active, *part);
      throw;
    }
    record(lane, work_.part_stage(), active.item, start);
    if (--active.pending == 0) {
      std::scoped_lock lock(mutex_);
      changed_.notify_all();
    }
    if (work_.lane_lost(lane)) return;
  }
}

void WorkerPool::make(std::int64_t item, int lane) {
  std::shared_ptr<Active> active;
  bool emitted = false;
  try {
    active = begin(item, lane);
    if (complete(active, lane)) {
      finish(*active, lane, emitted);
    } else {
      put_back(item, active, lane);
    }
  } catch (const device::DeviceError& error) {
    // Some of its result is on its way, and nobody can say how much: not for another lane to redo.
    if (emitted) throw base::run_error("{}", error.what());
    put_back(item, active, lane);
    throw;
  }
}

std::shared_ptr<WorkerPool::Active> WorkerPool::begin(std::int64_t item, int lane) {
  const auto active = std::make_shared<Active>();
  active->item = item;
  active->task = work_.begin(item, lane);
  active->parts = active->pending = active->task->parts();
  std::scoped_lock lock(mutex_);
  active_.push_back(active);
  if (queue_.empty()) changed_.notify_all();
  return active;
}

/// Until all parts are done, by whomever; false if the pool is abandoned or the lane lost before.
bool WorkerPool::complete(const std::shared_ptr<Active>& active, int lane) {
  for (;;) {
    work_on(*active, lane);
    const auto waited_from = base::Clock::now();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return active->pending == 0 || active->has_parts() || abandoned_ || work_.lane_lost(lane);
    });
    record(lane, report::Stage::wait, -1, waited_from);
    if (active->pending == 0) {
      settle(active);
      race_.finish(work_.device_of_lane(lane), now_s());
      return true;
    }
    if (abandoned_ || work_.lane_lost(lane)) return false;
  }
}

/// The item is no longer in the making; mutex_ is held.
void WorkerPool::settle(const std::shared_ptr<Active>& active) {
  std::erase(active_, active);
  if (--begun_ == 0 && closed_) changed_.notify_all();
}

/// Helpers that are at a part of it keep the task alive till they are done.
void WorkerPool::put_back(std::int64_t item, const std::shared_ptr<Active>& active, int lane) {
  std::scoped_lock lock(mutex_);
  if (active) {
    active->next = active->parts;
    active->put_back.clear();
  }
  settle(active);
  race_.put_back(work_.device_of_lane(lane), now_s());
  if (!abandoned_) queue_.push_front(item);
  changed_.notify_all();
}

void WorkerPool::finish(Active& active, int lane, bool& emitted) {
  auto start = base::Clock::now();
  std::optional<report::ProfilerRange> range(std::in_place, work_.finish_stage());
  active.task->finish(lane, [&](Parcel parcel) {
    record(lane, work_.finish_stage(), active.item, start);
    start = base::Clock::now();
    range.emplace(report::Stage::send);
    emitted = true;
    hooks_.emit(std::move(parcel));
    record(lane, report::Stage::send, active.item, start);
    start = base::Clock::now();
    range.emplace(work_.finish_stage());
  });
  ++completed_;
  hooks_.progress();
}

}  // namespace tessera::run
