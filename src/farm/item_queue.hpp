// What the worker threads of a rank share: items that wait, items in the making, and their parts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "farm/work.hpp"
#include "plan/device_race.hpp"

namespace tessera::farm {

/// Any thread may call anything. A lane that next() gave an item or help to either does it or puts
/// it back.
class ItemQueue {
 public:
  /// An item in the making, whose parts any lane may take.
  struct Active {
    std::int64_t item = 0;
    std::unique_ptr<Task> task;
    // What follows is the queue's own.
    bool has_parts() const { return next < parts || !put_back.empty(); }  // mutex_ is held
    int parts = 0;
    std::atomic<int> next = 0;     ///< first part that nobody has taken
    std::atomic<int> pending = 0;  ///< parts not done yet
    std::vector<int> put_back;     ///< parts of lanes that were lost with them
  };
  /// An item to begin, or one to help with.
  struct Step {
    std::int64_t item = -1;
    std::shared_ptr<Active> help;
  };

  explicit ItemQueue(const Work& work);

  /// `left_s`: until the whole farm is done, as far as is known.
  void add(std::span<const std::int64_t> items, double left_s);
  std::size_t queued() const;
  /// The queued items, which are then no longer this queue's.
  std::vector<std::int64_t> take_back();
  /// Items that need not be done; those that are begun go on.
  void drop(std::span<const std::int64_t> items);
  /// No more items come.
  void close();
  /// Nothing is handed out any more; nobody waits.
  void abandon();

  /// Waits for something to do; nothing when the lane is lost, or the queue is abandoned, or closed
  /// with nothing left. Lanes of a slow device are not given what they would be the last to finish.
  std::optional<Step> next(int lane);
  /// Makes the parts of an item known that `lane` has begun.
  std::shared_ptr<Active> share(std::int64_t item, std::unique_ptr<Task> task);
  std::optional<int> take_part(Active& active);
  void part_done(Active& active);
  void put_back_part(Active& active, int part);

  enum class Parts { done, more, given_up };
  /// For the lane that began it: waits until all parts are done, or there are parts to take again,
  /// or it must give up (and put the item back).
  Parts wait_for_parts(const std::shared_ptr<Active>& active, int lane);
  /// An item that the lane began has been sent.
  void item_done(int lane);
  /// The item is to be begun anew. `active` is null if it was not shared yet.
  void put_back(std::int64_t item, const std::shared_ptr<Active>& active, int lane);
  /// The lane's device is lost; Work::lane_lost() says so already.
  void lose(int lane);

 private:
  double now_s() const { return base::seconds_between(origin_, base::Clock::now()); }
  // mutex_ is held.
  bool may_begin(int lane) const;
  std::shared_ptr<Active> find_help_wanted() const;

  const Work& work_;
  base::Clock::time_point origin_ = base::Clock::now();
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::int64_t> queue_;
  std::vector<std::shared_ptr<Active>> active_;
  plan::DeviceRace race_;
  double end_s_ = 0;  ///< when the farm is expected to be done, after origin_
  int begun_ = 0;     ///< items that may come back to the queue: taken, and not sent
  bool closed_ = false;
  std::atomic<bool> abandoned_ = false;
};

}  // namespace tessera::farm
