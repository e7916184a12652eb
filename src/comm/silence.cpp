#include "comm/silence.hpp"

#include <algorithm>

namespace tessera::comm {

void TimeSinceHeard::pass(double now_s, double tick_s) {
  if (last_s_ >= 0) awake_s_ += std::clamp(now_s - last_s_, 0.0, 2 * tick_s);
  last_s_ = now_s;
}

}  // namespace tessera::comm
