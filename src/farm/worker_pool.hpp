// The worker threads of a rank. They take items from a queue and, when it is empty, help each other
// with the parts of items in progress. If its lane is lost, a thread puts back its work and ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "farm/grace_period.hpp"
#include "farm/item_queue.hpp"
#include "farm/work.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

class WorkerPool {
 public:
  struct Hooks {
    std::function<void(Result)> send_result;  ///< receives the chunks of an item; blocks while the
                                              ///< outbox is full
    std::function<void()> progress;  ///< called by workers when the owner should check the pool
  };

  /// Starts a thread for each of the work's lanes that is not lost. When a lane is lost, starts
  /// those that take over, which were lost before. `origin` is the zero of the spans, which are
  /// recorded if `trace`.
  WorkerPool(Work& work, Hooks hooks, base::Clock::time_point origin, bool trace);
  /// Abandons the remaining items and joins the threads.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Starts the lanes of a device that has joined.
  void admit();
  /// `left_s`: predicted time until the whole farm is done. Slow devices do not begin items that
  /// they would finish last.
  void add(std::span<const std::int64_t> items, double left_s = 0) { queue_.add(items, left_s); }
  std::size_t queued() const { return queue_.queued(); }  ///< items that no thread has begun
  std::uint64_t completed() const { return completed_; }  ///< items finished since the start
  /// No more items will be added; threads end when the queue is empty and no parts are left.
  void close() { queue_.close(); }
  /// Threads end as soon as they can; queued items are dropped.
  void abandon() { queue_.abandon(); }
  /// Drops the queue. What is begun may finish within the grace period, which enforce_grace() ends.
  void wind_down();
  void enforce_grace() {
    if (!idle() && grace_.over()) abandon();
  }
  double power_w() const { return work_.power_w(); }
  /// The items that are begun and of which a part is done.
  std::vector<ItemProgress> in_progress() const { return queue_.in_progress(); }
  bool idle() const { return running_ == 0; }  ///< every thread has ended
  /// Number of threads whose lanes are not lost. If it is 0, queued items will not be computed.
  int live_lanes() const { return live_lanes_; }
  /// How the last lane was lost, or "".
  std::string loss() const;
  /// Drops queued items that others have computed.
  void drop(std::span<const std::int64_t> items) { queue_.drop(items); }
  /// Removes and returns the queued items.
  std::vector<std::int64_t> take_back() { return queue_.take_back(); }
  /// Message of the first exception of a worker, or "".
  std::string failure() const;
  /// Joins the threads (call close() or abandon() first) and returns the reports of those that were
  /// started.
  std::vector<report::ThreadReport> join();

 private:
  using Active = ItemQueue::Active;
  void start_live_lanes();
  std::optional<std::thread> take_thread();
  void run(int lane);
  bool do_next(int lane);
  void make(std::int64_t item, int lane);
  bool complete(const std::shared_ptr<Active>& active, int lane);
  void finish(Active& active, int lane, base::Clock::time_point begun);
  void work_on(Active& active, int lane);
  void lose(int lane, const std::string& why);
  void record(int lane, report::Stage stage, std::int64_t item, base::Clock::time_point start);

  Work& work_;
  Hooks hooks_;
  base::Clock::time_point origin_;
  bool trace_;

  ItemQueue queue_;
  GracePeriod grace_;
  mutable std::mutex mutex_;  ///< guards failure_, loss_, threads_ and started_
  std::string failure_;
  std::string loss_;

  std::atomic<std::uint64_t> completed_ = 0;
  std::atomic<int> running_ = 0;
  std::atomic<int> live_lanes_ = 0;
  std::vector<report::ThreadReport> reports_;
  std::vector<std::thread> threads_;  ///< by lane
  std::vector<bool> started_;         ///< by lane
  int joined_;                        ///< devices that joined and whose lanes are started
};

}  // namespace tessera::farm
