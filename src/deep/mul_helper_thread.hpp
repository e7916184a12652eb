// A thread that does half of each of many short steps.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

namespace tessera::deep {

/// It looks for work for some ten microseconds and then sleeps, so that it costs little where other
/// programs have the core.
class MulHelperThread {
 public:
  explicit MulHelperThread(std::function<void()> work) : work_(std::move(work)) {}
  ~MulHelperThread();
  MulHelperThread(const MulHelperThread&) = delete;
  MulHelperThread& operator=(const MulHelperThread&) = delete;

  /// Begins work() in the thread.
  void begin();
  /// Until it is done.
  void wait();

 private:
  void run();

  std::function<void()> work_;
  std::atomic<std::uint32_t> begun_ = 0;
  std::atomic<std::uint32_t> done_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_{[this] { run(); }};
};

}  // namespace tessera::deep
