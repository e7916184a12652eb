#include "base/thread_team.hpp"

#include <algorithm>
#include <utility>

#include "base/run.hpp"

namespace tessera::base {

ThreadTeam::ThreadTeam(int size) : size_(std::max(size, 1)) {
  threads_.reserve(static_cast<std::size_t>(size_ - 1));
  for (int member = 1; member < size_; ++member) {
    threads_.push_back(run_thread([this, member] { serve(member); }));
  }
}

ThreadTeam::~ThreadTeam() {
  {
    std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run(int members, const std::function<void(int)>& work) {
  {
    std::scoped_lock lock(mutex_);
    work_ = &work;
    members_ = std::clamp(members, 1, size_);
    running_ = members_ - 1;
    ++round_;
  }
  if (members > 1) begun_.notify_all();
  carry_out(work, 0);
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return running_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadTeam::serve(int member) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [&] { return closed_ || round_ != seen; });
    if (closed_) return;
    // A member of a round cannot miss it, because the round waits for all its members.
    seen = round_;
    if (member >= members_) continue;
    const std::function<void(int)>& work = *work_;
    lock.unlock();
    carry_out(work, member);
    lock.lock();
    if (--running_ == 0) ended_.notify_one();
  }
}

void ThreadTeam::carry_out(const std::function<void(int)>& work, int member) {
  try {
    work(member);
  } catch (...) {
    std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace tessera::base
