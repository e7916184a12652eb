// The worker threads of a rank: they take items from a queue and, when it is empty, help each other
// with the parts of the items in the making. A thread whose lane is lost puts back what it had and
// ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "farm/item_queue.hpp"
#include "farm/work.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

class WorkerPool {
 public:
  struct Hooks {
    std::function<void(Result)>
        send_result;                 ///< takes an item's parcels; blocks while there is no room
    std::function<void()> progress;  ///< called by workers when the owner should look again
  };

  /// Starts a thread for each of the work's lanes that is not lost. `origin`: zero of the spans,
  /// which are kept if `trace`.
  WorkerPool(Work& work, Hooks hooks, base::Clock::time_point origin, bool trace);
  /// Abandons what is left and joins.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// `left_s`: until the whole farm is done, as far as is known. Of devices of different speed the
  /// slow ones begin nothing that they would be the last to finish.
  void add(std::span<const std::int64_t> items, double left_s = 0) { queue_.add(items, left_s); }
  std::size_t queued() const { return queue_.queued(); }  ///< items that no thread has begun
  std::uint64_t completed() const { return completed_; }  ///< items finished since the start
  /// No more items come; threads end when the queue is empty and nobody has parts to share.
  void close() { queue_.close(); }
  /// Threads end as soon as they can; queued items are dropped.
  void abandon() { queue_.abandon(); }
  bool idle() const { return running_ == 0; }  ///< every thread has ended
  /// Threads whose lanes are not lost. Once there are none, nothing that is queued will be done.
  int live_lanes() const { return live_lanes_; }
  /// What became of the lane that was lost last, or "".
  std::string loss() const;
  /// Others have done these: they are not begun, if they are not yet.
  void drop(std::span<const std::int64_t> items) { queue_.drop(items); }
  /// The queued items, which are then no longer this pool's.
  std::vector<std::int64_t> take_back() { return queue_.take_back(); }
  /// What the first failing worker threw, or "".
  std::string failure() const;
  /// Joins the threads (close() or abandon() first) and hands out what they did.
  std::vector<report::ThreadReport> join();

 private:
  using Active = ItemQueue::Active;
  void run(int lane);
  bool do_next(int lane);
  void make(std::int64_t item, int lane);
  bool complete(const std::shared_ptr<Active>& active, int lane);
  void finish(Active& active, int lane);
  void work_on(Active& active, int lane);
  void lose(int lane, const std::string& why);
  void record(int lane, report::Stage stage, std::int64_t item, base::Clock::time_point start);

  Work& work_;
  Hooks hooks_;
  base::Clock::time_point origin_;
  bool trace_;

  ItemQueue queue_;
  mutable std::mutex mutex_;  ///< guards the texts
  std::string failure_;
  std::string loss_;

  std::atomic<std::uint64_t> completed_ = 0;
  std::atomic<int> running_ = 0;
  std::atomic<int> live_lanes_ = 0;
  std::vector<report::ThreadReport> reports_;
  std::vector<std::thread> threads_;
};

}  // namespace tessera::farm
