// A set of threads that are started once and run one task after another together.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tessera::base {

class ThreadTeam {
 public:
  /// `size` members, at least 1; the thread that calls run() is the first of them.
  explicit ThreadTeam(int size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return size_; }
  /// Calls work(0) ... work(members - 1), each on its own thread, and returns when all are done; 1
  /// <= members <= size(). Rethrows one exception if members threw. One caller at a time.
  void run(int members, const std::function<void(int)>& work);

 private:
  void serve(int member);
  void carry_out(const std::function<void(int)>& work, int member);

  int size_;
  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable ended_;
  const std::function<void(int)>* work_ = nullptr;
  std::uint64_t round_ = 0;
  int members_ = 0;  ///< members of this round
  int running_ = 0;  ///< members, without the first, that have not finished this round
  bool closed_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace tessera::base
