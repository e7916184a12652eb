// Keeps a bench within its time limit: each part of it gets an equal part of the time that is left.
#pragma once

#include "base/clock.hpp"

namespace tessera::bench {

class TimeBudget {
 public:
  /// The time begins now. `limit_s`: 0 = no limit.
  explicit TimeBudget(double limit_s) : limit_s_(limit_s) {}

  /// How often begin_part() will be called.
  void set_parts(int parts) { parts_ = parts; }

  /// A part of `cases` cases begins now.
  void begin_part(int cases);
  /// Whether a case that takes so long fits into this part.
  bool allows(double seconds) const;
  /// The time for repeated calls of one case, at most 2 s.
  double repeats_s() const { return repeats_s_; }
  double left_s() const;
  bool limited() const { return limit_s_ > 0; }

 private:
  double limit_s_;
  int parts_ = 1;
  base::Clock::time_point start_ = base::Clock::now();
  base::Clock::time_point part_end_ = start_;
  double repeats_s_ = 2;
};

}  // namespace tessera::bench
