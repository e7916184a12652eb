#include "farm/item_queue.hpp"

#include <algorithm>
#include <chrono>

namespace tessera::farm {
namespace {

/// How often a lane that left an item to a faster device reconsiders this.
constexpr std::chrono::milliseconds kReconsider(10);

int count_devices(const Work& work) {
  int devices = 1;
  for (int lane = 0; lane < work.lanes(); ++lane) {
    devices = std::max(devices, work.device_of_lane(lane) + 1);
  }
  return devices;
}

int count_lanes(const Work& work, int device) {
  int lanes = 0;
  for (int lane = 0; lane < work.lanes(); ++lane) {
    if (work.device_of_lane(lane) == device) ++lanes;
  }
  return lanes;
}

/// Whether a lane of another device is not lost.
bool others_work(const Work& work, int device) {
  for (int lane = 0; lane < work.lanes(); ++lane) {
    if (work.device_of_lane(lane) != device && !work.lane_lost(lane)) return true;
  }
  return false;
}

}  // namespace

ItemQueue::ItemQueue(const Work& work) : work_(work), race_(count_devices(work)) {
  const int devices = count_devices(work);
  const int late = work.late_device();
  if (late >= 0 && others_work(work, late)) {
    late_.emplace(late, count_lanes(work, late));
  } else if (devices > 1 && work.tries_devices()) {
    trial_.emplace(devices);
  }
}

std::vector<ItemProgress> ItemQueue::in_progress() const {
  std::vector<ItemProgress> items;
  std::scoped_lock lock(mutex_);
  for (const auto& active : active_) {
    const int done = active->parts - active->pending;
    if (done <= 0) continue;
    items.push_back({active->item, static_cast<float>(done) / static_cast<float>(active->parts)});
  }
  return items;
}

void ItemQueue::add(std::span<const std::int64_t> items, double left_s) {
  std::scoped_lock lock(mutex_);
  end_s_ = now_s() + left_s;
  queue_.insert(queue_.end(), items.begin(), items.end());
  changed_.notify_all();
}

std::size_t ItemQueue::queued() const {
  std::scoped_lock lock(mutex_);
  return queue_.size();
}

std::vector<std::int64_t> ItemQueue::take_back() {
  std::scoped_lock lock(mutex_);
  std::vector<std::int64_t> items(queue_.begin(), queue_.end());
  queue_.clear();
  return items;
}

void ItemQueue::drop(std::span<const std::int64_t> items) {
  std::scoped_lock lock(mutex_);
  std::erase_if(queue_,
                [&](std::int64_t item) { return std::ranges::find(items, item) != items.end(); });
  changed_.notify_all();
}

void ItemQueue::close() {
  std::scoped_lock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void ItemQueue::abandon() {
  std::scoped_lock lock(mutex_);
  abandoned_ = true;
  queue_.clear();
  changed_.notify_all();
}

bool ItemQueue::may_begin(int lane) const {
  if (queue_.empty()) return false;
  if (late_ && !late_->allows(work_.device_of_lane(lane))) return false;
  if (trial_ && trial_->is_alone()) return trial_->allows(work_.device_of_lane(lane));
  return race_.in_time(work_.device_of_lane(lane), queue_.size(), end_s_, now_s());
}

std::shared_ptr<ItemQueue::Active> ItemQueue::find_help_wanted() const {
  for (const auto& active : active_) {
    // An item without parts belongs to the lane that began it, however slow a helper would be.
    if (active->parts > 1 && active->has_parts()) return active;
  }
  return nullptr;
}

std::optional<ItemQueue::Step> ItemQueue::next(int lane) {
  std::unique_lock lock(mutex_);
  Step step;
  for (;;) {
    if (abandoned_ || work_.lane_lost(lane)) return std::nullopt;
    if (may_begin(lane)) break;
    step.help = find_help_wanted();
    if (step.help) return step;
    // Items in progress may return, so a closed queue waits for these too.
    if (closed_ && queue_.empty() && begun_ == 0) return std::nullopt;
    if (queue_.empty()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, kReconsider);
    }
  }
  step.item = queue_.front();
  queue_.pop_front();
  ++begun_;
  race_.begin(work_.device_of_lane(lane), now_s());
  if (trial_) trial_->begin(work_.device_of_lane(lane));
  if (late_) late_->begin(work_.device_of_lane(lane), now_s());
  return step;
}

std::shared_ptr<ItemQueue::Active> ItemQueue::share(std::int64_t item, std::unique_ptr<Task> task) {
  auto active = std::make_shared<Active>();
  active->item = item;
  active->parts = active->pending = task->parts();
  active->task = std::move(task);
  std::scoped_lock lock(mutex_);
  active_.push_back(active);
  if (queue_.empty()) changed_.notify_all();
  return active;
}

ItemQueue::PartRange ItemQueue::take_parts(Active& active, int most) {
  if (abandoned_) return {};
  if (active.next < active.parts) {
    const int first = active.next.fetch_add(most);
    if (first < active.parts) return {first, std::min(most, active.parts - first)};
  }
  std::scoped_lock lock(mutex_);
  if (active.put_back.empty()) return {};
  const int part = active.put_back.back();
  active.put_back.pop_back();
  return {part, 1};
}

void ItemQueue::parts_done(Active& active, const PartRange& parts) {
  if ((active.pending -= parts.count) != 0) return;
  std::scoped_lock lock(mutex_);
  changed_.notify_all();
}

void ItemQueue::put_back_parts(Active& active, const PartRange& parts) {
  std::scoped_lock lock(mutex_);
  for (int i = 0; i < parts.count; ++i) active.put_back.push_back(parts.first + i);
  changed_.notify_all();
}

ItemQueue::Parts ItemQueue::wait_for_parts(const std::shared_ptr<Active>& active, int lane) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return active->pending == 0 || active->has_parts() || abandoned_ || work_.lane_lost(lane);
  });
  if (active->pending == 0) {
    std::erase(active_, active);
    return Parts::done;
  }
  return abandoned_ || work_.lane_lost(lane) ? Parts::given_up : Parts::more;
}

void ItemQueue::item_done(int lane) {
  std::scoped_lock lock(mutex_);
  race_.finish(work_.device_of_lane(lane), now_s());
  if (trial_) trial_->finish(work_.device_of_lane(lane), now_s());
  if (late_) late_->finish(work_.device_of_lane(lane), now_s());
  if (--begun_ == 0 && closed_) changed_.notify_all();
}

/// Helpers that run a part of the item keep the task alive until they are done.
void ItemQueue::put_back(std::int64_t item, const std::shared_ptr<Active>& active, int lane) {
  std::scoped_lock lock(mutex_);
  if (active) {
    active->next = active->parts;
    active->put_back.clear();
  }
  std::erase(active_, active);
  --begun_;
  race_.put_back(work_.device_of_lane(lane), now_s());
  if (trial_) trial_->put_back(work_.device_of_lane(lane));
  if (late_) late_->put_back(work_.device_of_lane(lane));
  if (!abandoned_) queue_.push_front(item);
  changed_.notify_all();
}

void ItemQueue::lose(int lane) {
  std::scoped_lock lock(mutex_);
  race_.lose(work_.device_of_lane(lane));
  if (trial_) trial_->lose();
  if (late_) late_->lose();
  changed_.notify_all();
}

}  // namespace tessera::farm
