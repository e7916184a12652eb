#include "run/worker_pool.hpp"

#include <algorithm>
#include <exception>

#include "base/error.hpp"

namespace tessera::run {
namespace {

/// Shorter waits are the cost of taking an item, not worth a bar in the trace.
constexpr double kShortestTracedWaitSeconds = 50e-6;

}  // namespace

struct WorkerPool::Active {
  std::int64_t item = 0;
  std::unique_ptr<Task> task;
  int parts = 0;
  std::atomic<int> next = 0;     ///< first part that nobody has taken
  std::atomic<int> pending = 0;  ///< parts not done yet

  bool has_parts() const { return next < parts; }
};

WorkerPool::WorkerPool(Work& work, Hooks hooks, base::Clock::time_point origin, bool trace)
    : work_(work),
      hooks_(std::move(hooks)),
      origin_(origin),
      trace_(trace),
      running_(work.lanes()),
      reports_(static_cast<std::size_t>(work.lanes())) {
  for (int lane = 0; lane < work.lanes(); ++lane) {
    auto& report = reports_[static_cast<std::size_t>(lane)];
    report.name = fmt::format("worker {}", lane);
    report.worker = true;
    threads_.emplace_back([this, lane] { run(lane); });
  }
}

WorkerPool::~WorkerPool() {
  abandon();
  join();
}

void WorkerPool::add(std::span<const std::int64_t> items) {
  std::scoped_lock lock(mutex_);
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
    for (;;) {
      std::int64_t item = -1;
      std::shared_ptr<Active> help;
      {
        std::unique_lock lock(mutex_);
        const auto waited_from = base::Clock::now();
        changed_.wait(lock, [&] {
          help = queue_.empty() ? find_help_wanted() : nullptr;
          return !queue_.empty() || help || closed_ || abandoned_;
        });
        record(lane, report::Stage::wait, -1, waited_from);
        if (abandoned_) break;
        if (!queue_.empty()) {
          item = queue_.front();
          queue_.pop_front();
        } else if (!help) {
          break;  // closed
        }
      }
      if (help) {
        work_on(*help, lane);
      } else {
        make(item, lane);
      }
    }
  } catch (const std::exception& error) {
    std::scoped_lock lock(mutex_);
    if (failure_.empty()) failure_ = error.what();
    abandoned_ = true;
    changed_.notify_all();
  }
  --running_;
  hooks_.progress();
}

void WorkerPool::work_on(Active& active, int lane) {
  for (int part = active.next++; part < active.parts && !abandoned_; part = active.next++) {
    const auto start = base::Clock::now();
    active.task->run_part(part, lane);
    record(lane, work_.part_stage(), active.item, start);
    if (--active.pending == 0) {
      std::scoped_lock lock(mutex_);
      changed_.notify_all();
    }
  }
}

void WorkerPool::make(std::int64_t item, int lane) {
  const auto active = std::make_shared<Active>();
  active->item = item;
  active->task = work_.begin(item, lane);
  active->parts = active->pending = active->task->parts();
  {
    std::scoped_lock lock(mutex_);
    active_.push_back(active);
    if (queue_.empty()) changed_.notify_all();
  }
  work_on(*active, lane);
  {
    const auto waited_from = base::Clock::now();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return active->pending == 0 || abandoned_; });
    record(lane, report::Stage::wait, -1, waited_from);
    std::erase(active_, active);
    if (active->pending != 0) return;  // abandoned; helpers keep the task alive till they are done
  }
  auto start = base::Clock::now();
  active->task->finish(lane, [&](Parcel parcel) {
    record(lane, work_.finish_stage(), item, start);
    start = base::Clock::now();
    hooks_.emit(std::move(parcel));
    record(lane, report::Stage::send, item, start);
    start = base::Clock::now();
  });
  ++completed_;
  hooks_.progress();
}

}  // namespace tessera::run
