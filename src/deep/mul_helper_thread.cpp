#include "deep/mul_helper_thread.hpp"

namespace tessera::deep {

namespace {

/// Some ten microseconds: where a thread sleeps during each step, Linux wakes it on the core of the
/// other one. A thread that yielded instead would wait for the time slice of another program.
constexpr int kLooks = 50000;

/// Until `counter` is no longer `value`.
void wait_while(const std::atomic<std::uint32_t>& counter, std::uint32_t value) {
  for (int looks = 0; looks < kLooks; ++looks) {
    if (counter.load(std::memory_order_acquire) != value) return;
  }
  counter.wait(value, std::memory_order_acquire);
}

void count_on(std::atomic<std::uint32_t>& counter) {
  counter.fetch_add(1, std::memory_order_release);
  counter.notify_one();
}

}  // namespace

MulHelperThread::~MulHelperThread() {
  ends_ = true;
  count_on(begun_);
  thread_.join();
}

void MulHelperThread::begin() {
  count_on(begun_);
}

void MulHelperThread::wait() {
  const std::uint32_t before = begun_.load() - 1;
  wait_while(done_, before);
}

void MulHelperThread::run() {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_while(begun_, seen);
    if (ends_) return;
    work_();
    count_on(done_);
  }
}

}  // namespace tessera::deep
