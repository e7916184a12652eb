#include "binding/meters.hpp"

#include <chrono>
#include <system_error>
#include <utility>

#include "base/fault.hpp"
#include "device/host/package_meter.hpp"

namespace tessera::binding {
namespace {

constexpr std::chrono::milliseconds kInterval{250};
/// A reading takes a few milliseconds.
constexpr std::chrono::milliseconds kPatience{500};

}  // namespace

Meters::Meters(const comm::World& world) : Meters(world.origin()) {
  if (world.node_rank() != 0) return;
  const char* const folder =
      base::fault("meters.powercap_here") ? "powercap" : device::PackageMeter::kFolder;
  add("cores", "", device::PackageMeter::open(folder), {.energy_j = 0});
}

Meters::~Meters() {
  {
    const std::scoped_lock lock(mutex_);
    end_ = true;
  }
  changed_.notify_all();
  for (Entry& entry : entries_) entry.meter->end();
  for (Entry& entry : entries_) entry.thread.join();
}

void Meters::add(const std::string& device, const std::string& address,
                 std::unique_ptr<base::Meter> meter, const base::Reading& first) {
  if (!meter) return;
  const std::scoped_lock lock(mutex_);
  entries_.push_back({.meter = std::move(meter), .log = report::MeterLog(device, address)});
  Entry& entry = entries_.back();
  entry.log.add(base::seconds_between(origin_, base::Clock::now()), first);
  try {
    entry.thread = std::thread([this, &entry] { watch(entry); });
  } catch (const std::system_error&) {  // as many as the system allows are there already
    entries_.pop_back();
  }
}

void Meters::watch(Entry& entry) {
  std::unique_lock lock(mutex_);
  while (!end_) {
    const int wanted = entry.wanted;
    lock.unlock();
    const base::Reading reading = entry.meter->read();
    const double now_s = base::seconds_between(origin_, base::Clock::now());
    lock.lock();
    entry.log.add(now_s, reading);
    entry.read = wanted;
    changed_.notify_all();
    changed_.wait_for(lock, kInterval, [&] { return end_ || entry.wanted != entry.read; });
  }
}

std::vector<report::MeterReport> Meters::report(bool fresh, bool with_samples) {
  std::unique_lock lock(mutex_);
  const auto until = base::Clock::now() + kPatience;
  for (Entry& entry : entries_) entry.wanted += fresh && entry.log.has_told() ? 1 : 0;
  changed_.notify_all();
  for (Entry& entry : entries_) {
    changed_.wait_until(lock, until, [&] { return entry.read == entry.wanted; });
  }
  std::vector<report::MeterReport> reports;
  reports.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    reports.push_back(entry.log.report());
    if (!with_samples) reports.back().samples.clear();
  }
  return reports;
}

double Meters::power_w() const {
  const std::scoped_lock lock(mutex_);
  double sum_w = base::kNotTold;
  for (const Entry& entry : entries_) {
    const double one_w = entry.log.power_w();
    if (base::is_told(one_w)) sum_w = base::is_told(sum_w) ? sum_w + one_w : one_w;
  }
  return sum_w;
}

}  // namespace tessera::binding
