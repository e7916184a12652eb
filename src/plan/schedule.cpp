#include "plan/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::plan {
namespace {

/// A helping is 1 / kHelpingDivisor of the asking rank's fair share of what is left.
constexpr double kHelpingDivisor = 4;
/// Bounds the messages and how much one rank can hold back.
constexpr std::size_t kMostItems = 1024;

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

bool Schedule::in_window(std::size_t item) const {
  return window_ == 0 || item < first_unfinished_ + static_cast<std::size_t>(window_);
}

std::vector<std::int64_t> Schedule::take(int lanes) {
  const double share = static_cast<double>(std::max(1, lanes)) / total_lanes_;
  double helping = waiting_cost_ * std::min(1.0, share) / kHelpingDivisor;
  std::vector<std::int64_t> items;
  while (next_ < costs_.size() && items.size() < kMostItems) {
    const std::size_t item = item_at(next_);
    if (!in_window(item) || (!items.empty() && helping < costs_[item])) break;
    helping -= costs_[item];
    waiting_cost_ -= costs_[item];
    items.push_back(static_cast<std::int64_t>(item));
    ++next_;
  }
  return items;
}

void Schedule::finish(std::int64_t item) {
  const auto index = static_cast<std::size_t>(item);
  if (done_[index]) return;
  done_[index] = true;
  ++finished_;
  finished_cost_ += costs_[index];
  while (first_unfinished_ < done_.size() && done_[first_unfinished_]) ++first_unfinished_;
}

double Schedule::finished_share() const {
  return complete() ? 1.0 : std::clamp(finished_cost_ / total_cost_, 0.0, 1.0);
}

}  // namespace tessera::plan
