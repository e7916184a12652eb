// Runs a task, such as a sync of stored results, at intervals while the run continues.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace tessera::base {

/// Uses a separate thread, because a disk may take seconds.
class PeriodicTask {
 public:
  /// `first`: before the first sync.
  PeriodicTask(std::function<void()> sync, std::chrono::seconds interval,
               std::chrono::duration<double> first);
  PeriodicTask(std::function<void()> sync, std::chrono::seconds interval)
      : PeriodicTask(std::move(sync), interval, interval) {}
  /// Waits for a sync in progress.
  ~PeriodicTask();
  PeriodicTask(const PeriodicTask&) = delete;
  PeriodicTask& operator=(const PeriodicTask&) = delete;

  /// Throws base::Error (failed) if a sync has failed.
  void check() const;

 private:
  void run();

  std::function<void()> sync_;
  std::chrono::seconds interval_;
  std::chrono::duration<double> first_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::string failure_;
  std::thread thread_;
};

}  // namespace tessera::base
