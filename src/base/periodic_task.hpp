// What is stored reaches the disk now and then, while the run goes on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tessera::base {

/// A thread of its own, because a disk may take seconds.
class Checkpoints {
 public:
  Checkpoints(std::function<void()> sync, std::chrono::seconds interval);
  /// After the sync that is going on, if one is.
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// Throws base::Error (failed) if a sync has failed.
  void check() const;

 private:
  void run();

  std::function<void()> sync_;
  std::chrono::seconds interval_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::string failure_;
  std::thread thread_;
};

}  // namespace tessera::base
