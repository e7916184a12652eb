#include "plan/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::plan {
namespace {

/// A batch is 1 / kBatchDivisor of the rank's fair part of what is left.
constexpr double kBatchDivisor = 4;
/// Bounds the message size, and how much one rank can hold back.
// crossed by: hands_out_1024_items_together_at_most
constexpr std::size_t kMaxItems = 1024;

}  // namespace

Schedule::Schedule(std::vector<float> costs, int total_lanes, Order order, std::int64_t window)
    : costs_(std::move(costs)),
      done_(costs_.size()),
      total_lanes_(std::max(1, total_lanes)),
      window_(window) {
  for (const float cost : costs_) total_cost_ += cost;
  waiting_cost_ = total_cost_;
  if (order == Order::given) return;
  order_.resize(costs_.size());
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return costs_[a] > costs_[b]; });
}

std::size_t Schedule::item_at(std::size_t position) const {
  return order_.empty() ? position : order_[position];
}

std::size_t Schedule::next_item() const {
  return returned_.empty() ? item_at(next_) : returned_.back();
}

bool Schedule::in_window(std::size_t item) const {
  return window_ == 0 || item < first_unfinished_ + static_cast<std::size_t>(window_);
}

bool Schedule::before(std::size_t a, std::size_t b) const {
  if (order_.empty() || costs_[a] == costs_[b]) return a < b;
  return costs_[a] > costs_[b];
}

double Schedule::share_of(int lanes) const {
  return std::min(1.0, static_cast<double>(std::max(1, lanes)) / total_lanes_);
}

bool Schedule::available() const {
  return !exhausted() && in_window(next_item());
}

void Schedule::pop_next() {
  waiting_cost_ -= costs_[next_item()];
  if (returned_.empty()) {
    ++next_;
    skip_finished();
  } else {
    returned_.pop_back();
  }
}

void Schedule::skip_finished() {
  while (next_ < costs_.size() && done_[item_at(next_)]) ++next_;
}

void Schedule::finish_before(std::int64_t item) {
  const auto index = static_cast<std::size_t>(item);
  if (done_[index]) return;
  waiting_cost_ -= costs_[index];
  finish(item);
  skip_finished();
}

std::vector<std::int64_t> Schedule::take(double share, double max_cost) {
  double batch_cost = std::min(waiting_cost_ * share / kBatchDivisor, max_cost);
  std::vector<std::int64_t> items;
  while (available() && items.size() < kMaxItems) {
    if (!items.empty() && batch_cost < next_cost()) break;
    batch_cost -= next_cost();
    items.push_back(static_cast<std::int64_t>(next_item()));
    pop_next();
  }
  return items;
}

void Schedule::give_back(std::span<const std::int64_t> items) {
  for (const std::int64_t item : items) {
    const auto index = static_cast<std::size_t>(item);
    if (done_[index]) continue;
    returned_.push_back(index);
    waiting_cost_ += costs_[index];
  }
  std::ranges::sort(returned_, [&](std::size_t a, std::size_t b) { return before(b, a); });
}

bool Schedule::withdraw(std::int64_t item) {
  const auto found = std::ranges::find(returned_, static_cast<std::size_t>(item));
  if (found == returned_.end()) return false;
  waiting_cost_ -= costs_[*found];
  returned_.erase(found);
  return true;
}

void Schedule::finish(std::int64_t item) {
  const auto index = static_cast<std::size_t>(item);
  if (done_[index]) return;
  // A rank that was taken for lost may finish an item before another rank has begun it.
  if (!returned_.empty()) withdraw(item);
  done_[index] = true;
  ++finished_;
  finished_cost_ += costs_[index];
  while (first_unfinished_ < done_.size() && done_[first_unfinished_]) ++first_unfinished_;
}

double Schedule::finished_share() const {
  return complete() ? 1.0 : std::clamp(finished_cost_ / total_cost_, 0.0, 1.0);
}

double Schedule::progress_share() const {
  if (total_cost_ <= 0) return finished_share();
  return std::min(1.0, finished_share() + started_cost_ / total_cost_);
}

}  // namespace tessera::plan
