// Reads what the hardware of this rank tells about itself while the rank works.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "comm/world.hpp"
#include "report/meters.hpp"

namespace tessera::binding {

/// Each meter is read in a thread of its own, so that none delays the rank or another one.
/// Thread-safe.
class Meters {
 public:
  /// Begins with the cores of the host on its first rank: the others would count them again.
  explicit Meters(const comm::World& world);
  /// Times are since `origin`.
  explicit Meters(base::Clock::time_point origin) : origin_(origin) {}
  ~Meters();
  Meters(const Meters&) = delete;
  Meters& operator=(const Meters&) = delete;

  /// `device`, `address`: as in report::MeterReport. A null meter does nothing. `first`: what it
  /// tells before it is read.
  void add(const std::string& device, const std::string& address,
           std::unique_ptr<base::Meter> meter, const base::Reading& first = {});
  /// What they have told since they were added. If `fresh`, each that has told something is read
  /// once more; one that is silent then is not waited for. With samples for a trace, if wanted.
  std::vector<report::MeterReport> report(bool fresh, bool with_samples);
  /// The power of all that tell it, when they were read last; base::kNotTold if none does.
  double power_w() const;

 private:
  struct Entry {
    std::unique_ptr<base::Meter> meter;
    report::MeterLog log;
    int wanted = 0, read = 0;  ///< readings that were asked for, and of those the last one made
    std::thread thread = {};
  };
  void watch(Entry& entry);

  base::Clock::time_point origin_;
  mutable std::mutex mutex_;  ///< guards the next members, but for Entry::meter
  std::condition_variable changed_;
  std::list<Entry> entries_;
  bool end_ = false;
};

}  // namespace tessera::binding
