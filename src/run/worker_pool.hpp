// The worker threads of a rank: they take items from a queue and, when it is empty, help each other
// with the parts of the items in the making. A thread whose lane is lost puts back what it had and
// ends.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "plan/device_race.hpp"
#include "report/timings.hpp"
#include "run/work.hpp"

namespace tessera::run {

class WorkerPool {
 public:
  struct Hooks {
    Emit emit;                       ///< takes the parcels; may block
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
  void add(std::span<const std::int64_t> items, double left_s = 0);
  std::size_t queued() const;                             ///< items that no thread has begun
  std::uint64_t completed() const { return completed_; }  ///< items finished since the start
  /// No more items come; threads end when the queue is empty and nobody has parts to share.
  void close();
  /// Threads end as soon as they can; queued items are dropped.
  void abandon();
  bool idle() const { return running_ == 0; }  ///< every thread has ended
  /// Threads whose lanes are not lost. Once there are none, nothing that is queued will be done.
  int live_lanes() const { return live_lanes_; }
  /// What became of the lane that was lost last, or "".
  std::string loss() const;
  /// The queued items, which are then no longer this pool's.
  std::vector<std::int64_t> take_back();
  /// What the first failing worker threw, or "".
  std::string failure() const;
  /// Joins the threads (close() or abandon() first) and hands out what they did.
  std::vector<report::ThreadReport> join();

 private:
  struct Active;  // an item in the making
  void run(int lane);
  bool do_next(int lane);
  void make(std::int64_t item, int lane);
  std::shared_ptr<Active> begin(std::int64_t item, int lane);
  bool complete(const std::shared_ptr<Active>& active, int lane);
  void finish(Active& active, int lane, bool& emitted);
  void work_on(Active& active, int lane);
  std::optional<int> take_part(Active& active);
  void put_back_part(Active& active, int part);
  void put_back(std::int64_t item, const std::shared_ptr<Active>& active, int lane);
  void lose(int lane, const std::string& why);
  bool may_begin(int lane) const;
  double now_s() const { return base::seconds_between(origin_, base::Clock::now()); }
  void settle(const std::shared_ptr<Active>& active);
  std::shared_ptr<Active> find_help_wanted() const;
  void record(int lane, report::Stage stage, std::int64_t item, base::Clock::time_point start);

  Work& work_;
  Hooks hooks_;
  base::Clock::time_point origin_;
  bool trace_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::int64_t> queue_;
  std::vector<std::shared_ptr<Active>> active_;
  plan::DeviceRace race_;
  double end_s_ = 0;  ///< when the farm is expected to be done, after origin_
  int begun_ = 0;     ///< items that may come back to the queue: taken, and not all parts done
  bool closed_ = false;
  std::atomic<bool> abandoned_ = false;
  std::string failure_;
  std::string loss_;

  std::atomic<std::uint64_t> completed_ = 0;
  std::atomic<int> running_;
  std::atomic<int> live_lanes_;
  std::vector<report::ThreadReport> reports_;
  std::vector<std::thread> threads_;
};

}  // namespace tessera::run
