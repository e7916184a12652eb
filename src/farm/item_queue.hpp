// The items of a rank that its worker threads share: waiting items, items in progress, and their
// parts.
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
#include "plan/device_trial.hpp"
#include "plan/late_trial.hpp"

namespace tessera::farm {

/// Thread-safe. A lane that got an item or a part from next() either finishes it or puts it back.
class ItemQueue {
 public:
  /// An item in progress, whose parts any lane may take.
  struct Active {
    std::int64_t item = 0;
    std::unique_ptr<Task> task;
    // The members below are for ItemQueue alone; mutex_ must be held for has_parts().
    bool has_parts() const { return next < parts || !put_back.empty(); }  // requires mutex_
    int parts = 0;
    std::atomic<int> next = 0;     ///< first part that nobody has taken
    std::atomic<int> pending = 0;  ///< parts not yet finished
    std::vector<int> put_back;     ///< parts of lanes that were lost
  };
  /// An item to begin, or an item in progress to help with.
  struct Step {
    std::int64_t item = -1;
    std::shared_ptr<Active> help;
  };

  explicit ItemQueue(const Work& work);

  /// The items that are begun and of which a part is done.
  std::vector<ItemProgress> in_progress() const;

  /// `left_s`: predicted time until the whole farm is done.
  void add(std::span<const std::int64_t> items, double left_s);
  std::size_t queued() const;
  /// Removes and returns the queued items.
  std::vector<std::int64_t> take_back();
  /// Removes items that need not be computed; those in progress continue.
  void drop(std::span<const std::int64_t> items);
  /// No more items will be added.
  void close();
  /// Stops handing out work and wakes all waiting threads.
  void abandon();

  /// Waits for work. Returns nothing if the lane is lost, the queue is abandoned, or it is closed
  /// and empty. A lane of a slow device does not get an item that it would finish last.
  std::optional<Step> next(int lane);
  /// Announces the parts of an item that `lane` has begun.
  std::shared_ptr<Active> share(std::int64_t item, std::unique_ptr<Task> task);
  struct PartRange {
    int first = 0;
    int count = 0;  ///< 0 = none is left
  };
  /// Takes `most` parts, or fewer.
  PartRange take_parts(Active& active, int most);
  void parts_done(Active& active, const PartRange& parts);
  void put_back_parts(Active& active, const PartRange& parts);

  enum class Parts { done, more, given_up };
  /// For the lane that began the item: waits until all parts are done, or some must be taken again,
  /// or the lane must give up (and put the item back).
  Parts wait_for_parts(const std::shared_ptr<Active>& active, int lane);
  /// The result of an item that `lane` began has been sent.
  void item_done(int lane);
  /// The item must be restarted. `active` is null if it was not shared yet.
  void put_back(std::int64_t item, const std::shared_ptr<Active>& active, int lane);
  /// The lane's device is lost; Work::lane_lost() already reports it.
  void lose(int lane);

 private:
  double now_s() const { return base::seconds_between(origin_, base::Clock::now()); }
  // These require mutex_.
  bool may_begin(int lane) const;
  std::shared_ptr<Active> find_help_wanted() const;

  const Work& work_;
  base::Clock::time_point origin_ = base::Clock::now();
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::int64_t> queue_;
  std::vector<std::shared_ptr<Active>> active_;
  plan::DeviceRace race_;
  std::optional<plan::DeviceTrial> trial_;  ///< trial of several devices, if the work wants it
  std::optional<plan::LateTrial> late_;     ///< if a device joins
  double end_s_ = 0;  ///< when the farm will probably be done, relative to origin_
  int begun_ = 0;     ///< items that were taken and not yet sent, and may return to the queue
  bool closed_ = false;
  std::atomic<bool> abandoned_ = false;
};

}  // namespace tessera::farm
