#include "plan/late_trial.hpp"

namespace tessera::plan {

bool LateTrial::allows(int device) const {
  const bool late = device == late_;
  if (over_ || way_ == Way::together) {
    return way_ == Way::together || late == (way_ == Way::late);
  }
  if (way_ == Way::late) return late;
  return !late || late_side_.in_hand == 0;
}

void LateTrial::begin(int device, double now_s) {
  Side& mine = side(device);
  ++mine.in_hand;
  if (mine.first_s < 0) mine.first_s = now_s;
}

void LateTrial::put_back(int device) {
  --side(device).in_hand;
}

void LateTrial::finish(int device, double now_s) {
  Side& mine = side(device);
  --mine.in_hand;
  ++mine.finished;
  if (over_) return;
  if (way_ != Way::cores) return measure(now_s);
  if (device != late_) return;
  cores_rate_ = cores_.finished == 0 ? 0 : cores_.finished / (now_s - cores_.first_s);
  // With all lanes it is at most so fast.
  const double most = lanes_ / (now_s - mine.first_s);
  resume(most > cores_rate_ ? Way::late : Way::together);
}

/// The first items of a way, and those of the way before, are not measured.
void LateTrial::measure(double now_s) {
  if (measuring_) {
    ++finished_;
    if (finished_ >= kMinItems && now_s - start_s_ >= kSeconds) end(now_s);
    return;
  }
  const bool settled = way_ == Way::late ? cores_.in_hand == 0 : cores_.finished > 0;
  if (!settled || late_side_.finished == 0) return;
  measuring_ = true;
  start_s_ = now_s;
  finished_ = 0;
}

void LateTrial::end(double now_s) {
  const double rate = finished_ / (now_s - start_s_);
  if (way_ == Way::late) {
    late_rate_ = rate;
    if (cores_rate_ >= kWorthHelp * rate) return resume(Way::together);
  } else if (late_rate_ > rate) {
    way_ = Way::late;
  }
  if (cores_rate_ > late_rate_ && cores_rate_ > rate) way_ = Way::cores;
  over_ = true;
}

void LateTrial::resume(Way way) {
  way_ = way;
  measuring_ = false;
  cores_.finished = late_side_.finished = 0;
}

void LateTrial::lose() {
  way_ = Way::together;
  over_ = true;
}

}  // namespace tessera::plan
