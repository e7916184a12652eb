#include "base/periodic_task.hpp"

#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/run.hpp"

namespace tessera::base {

PeriodicTask::PeriodicTask(std::function<void()> sync, std::chrono::seconds interval,
                           std::chrono::duration<double> first)
    : sync_(std::move(sync)),
      interval_(interval),
      first_(first),
      thread_(run_thread([this] { run(); })) {}

PeriodicTask::~PeriodicTask() {
  {
    const std::scoped_lock lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void PeriodicTask::check() const {
  const std::scoped_lock lock(mutex_);
  if (!failure_.empty()) throw base::run_error("{}", failure_);
}

void PeriodicTask::run() {
  std::unique_lock lock(mutex_);
  std::chrono::duration<double> wait = first_;
  while (!ended_.wait_for(lock, wait, [this] { return end_; })) {
    wait = interval_;
    lock.unlock();
    std::string failure;
    try {
      sync_();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    lock.lock();
    if (failure.empty()) continue;
    failure_ = failure;
    return;
  }
}

}  // namespace tessera::base
