// A timeout for MPI calls that never return if a rank dies during the call.
#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tessera::comm {

/// Ends the process with `exit_code` unless it is destroyed within `seconds`.
class Deadline {
 public:
  Deadline(double seconds, int exit_code)
      : thread_([this, seconds, exit_code] {
          std::unique_lock lock(mutex_);
          const auto limit = std::chrono::duration<double>(seconds);
          if (!met_.wait_for(lock, limit, [this] { return is_met_; })) ::_exit(exit_code);
        }) {}
  ~Deadline() {
    {
      std::scoped_lock lock(mutex_);
      is_met_ = true;
      met_.notify_one();
    }
    thread_.join();
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable met_;
  bool is_met_ = false;
  std::thread thread_;
};

}  // namespace tessera::comm
