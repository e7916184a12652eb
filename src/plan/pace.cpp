#include "plan/pace.hpp"

#include <algorithm>

namespace tessera::plan {
namespace {

/// After this number of results, the older ones are weighted by half: predictions differ between
/// the expensive items of the start and the cheap ones of the end, and machines get busy with other
/// work.
constexpr std::size_t kRemembered = 512;

}  // namespace

void Pace::pass_time(double now_s) {
  if (in_hand_ > 0) busy_s_ += std::max(0.0, now_s - last_s_);
  last_s_ = now_s;
}

void Pace::let_go(double cost, std::size_t items) {
  in_hand_ -= std::min(in_hand_, items);
  cost_in_hand_ = std::max(0.0, cost_in_hand_ - cost);
}

void Pace::grant(double cost, std::size_t items, double now_s) {
  pass_time(now_s);
  if (in_hand_ == 0) moved_s_ = now_s;
  cost_in_hand_ = cost_in_hand() + cost;
  in_hand_ += items;
}

void Pace::give_back(double cost, std::size_t items, double now_s) {
  pass_time(now_s);
  let_go(cost, items);
}

void Pace::finish(double cost, double now_s) {
  pass_time(now_s);
  let_go(cost, 1);
  moved_s_ = now_s;
  finished_cost_ += cost;
  if (++finished_ < kRemembered) return;
  finished_ /= 2;
  finished_cost_ /= 2;
  busy_s_ /= 2;
}

double Pace::speed(double now_s) const {
  const double busy_s = busy_s_ + (in_hand_ > 0 ? std::max(0.0, now_s - last_s_) : 0);
  return busy_s > 0 ? finished_cost_ / busy_s : 0;
}

}  // namespace tessera::plan
