#include "binding/rank_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iterator>
#include <utility>

#include "base/run.hpp"
#include "base/text.hpp"
#include "device/select/discovery.hpp"

namespace tessera::binding {

device::Placement place_of(const comm::World& world, const job::RunSpec& run) {
  return {.node_rank = world.node_rank(),
          .node_ranks = world.node_ranks(),
          .mask_rank = world.mask_rank(),
          .mask_ranks = world.mask_ranks(),
          .threads = run.threads,
          .device_memory_bytes = run.device_memory_bytes};
}

device::Isolation isolation_of(const job::RunSpec& run) {
  return {.on = run.isolate && !base::this_run().program.empty(),
          .silence_s = static_cast<double>(run.device_timeout_s)};
}

RankDevices::RankDevices(ChosenDevices chosen, const job::RunSpec& run, const comm::World& world,
                         std::string items)
    : place_(fmt::format("rank {} on {}", world.rank(), world.host())),
      items_(std::move(items)),
      origin_(world.origin()),
      placement_(place_of(world, run)),
      isolation_(isolation_of(run)),
      quiet_(run.quiet),
      alone_(world.size() == 1) {
  isolation_.restarted = [this](const std::string& device, const std::string& why) {
    note_restart(device, why);
  };
  std::shared_ptr<device::process::DriverProcess> process =
      chosen.joins ? nullptr : std::move(chosen.process);
  const Open open = [&](const std::string& name) {
    return std::move(
        device::open_devices(name, placement_, isolation_, std::exchange(process, nullptr))
            .front());
  };
  open_all(chosen.list, open);
  if (chosen.joins) {
    late_ = count();
    devices_.emplace_back().opening = true;
    late_info_ = chosen.late;
    chosen_late_ = std::move(chosen);
    return;
  }
  if (chosen.reserve.empty()) return;
  OpenDevice& reserve = devices_.emplace_back();
  reserve.device = open(chosen.reserve);
  reserve.in_reserve = true;
}

/// Prints the losses at the end, when it is certain that a device is left.
void RankDevices::open_all(std::string_view list, const Open& open) {
  std::vector<report::LostDevice> unopened;
  const std::vector<device::Wanted> requested = device::parse_device_list(list);
  for (const device::Wanted& entry : requested) {
    try {
      auto device = open(entry.name);
      devices_.emplace_back().device = std::move(device);
    } catch (const device::DeviceError& error) {
      if (devices_.empty() && &entry == &requested.back()) throw;
      unopened.push_back({entry.name, error.what()});
    }
  }
  for (const report::LostDevice& loss : unopened) print_loss(loss.device, loss.cause);
}

void RankDevices::meter_by(Meters& meters) {
  const std::scoped_lock lock(mutex_);
  meters_ = &meters;
  for (const OpenDevice& open : devices_) meter(open);
}

void RankDevices::meter(const OpenDevice& open) const {
  if (meters_ == nullptr || open.opening || open.failed) return;
  const device::DeviceInfo& info = open.device->info();
  meters_->add(info.name, info.pci, open.device->open_meter());
}

void RankDevices::begin_opening() {
  if (late_ < 0) return;
  opener_ = std::jthread([this, &run = base::this_run()](const std::stop_token& stop) {
    const base::RunScope scope(run);
    look_and_open(stop, std::move(chosen_late_));
  });
}

void RankDevices::look_and_open(const std::stop_token& stop, ChosenDevices chosen) {
  OpenDevice& late = devices_[static_cast<std::size_t>(late_)];
  device::Isolation isolation = isolation_;
  isolation.stop = stop;
  try {
    if (!chosen.late && !look_for_gpu(chosen, isolation)) return settle("absent");
    late.device = std::move(
        device::open_devices(chosen.late->name, placement_, isolation, std::move(chosen.process))
            .front());
    const std::scoped_lock filling(fill_mutex_);
    if (fill_) late.max_lanes = fill_(late_);
    settle("joined");
  } catch (const std::exception& error) {
    settle("failed", error.what());
  }
}

void RankDevices::fill_late_lanes(std::function<int(int device)> fill) {
  if (late_ < 0) return;
  const std::scoped_lock filling(fill_mutex_);
  if (opening(late_)) {
    fill_ = std::move(fill);
    return;
  }
  OpenDevice& late = devices_[static_cast<std::size_t>(late_)];
  late.max_lanes = 0;
  try {
    late.max_lanes = fill(late_);
  } catch (const device::DeviceError& error) {
    lose(late_, error.what());
  }
}

/// A call of the driver that hangs must not hold up whoever has done the work without the device.
void RankDevices::drop_late_lanes() {
  std::unique_lock filling(fill_mutex_, std::try_to_lock);
  if (!filling) end_joining();
  if (!filling) filling.lock();
  fill_ = nullptr;
}

/// As discover() and choose(), for a rank that is alone on its node. False if there is no GPU.
bool RankDevices::look_for_gpu(ChosenDevices& chosen, const device::Isolation& isolation) {
  const std::vector<device::Wanted> requested = device::parse_device_list(device::kAuto);
  device::Discovered found = device::discover(requested, placement_, isolation);
  const device::RankDevicesSeen sight{.rank = 0, .devices = found.devices};
  const std::string name = device::choose(requested, {&sight, 1}).names.front().front();
  const std::scoped_lock lock(mutex_);
  for (const device::DetectedDevice& one : found.devices) {
    if (one.info.name == name) chosen.late = one.info;
    if (!one.crashed || isolation.stop.stop_requested()) continue;
    base::log("tessera: {}: {}: {}", place_, one.info.name, one.info.reason);
  }
  chosen.process = std::move(found.process);
  late_info_ = chosen.late.value_or(device::DeviceInfo{});
  late_known_.notify_all();
  return chosen.late.has_value();
}

bool RankDevices::has_fast_gpu(double within_s) const {
  if (late_ < 0) return false;
  std::unique_lock lock(mutex_);
  late_known_.wait_for(lock, std::chrono::duration<double>(within_s),
                       [this] { return late_opening_.has_value(); });
  return joined_ > 0 && !failed(late_) && at(late_).device->info().fast_fp64;
}

void RankDevices::let_others_rest(bool rest) {
  if (late_ < 0) return;
  const std::scoped_lock lock(mutex_);
  for (int device = 0; device < count(); ++device) {
    OpenDevice& open = devices_[static_cast<std::size_t>(device)];
    open.in_reserve = rest && device != late_ && !open.failed;
  }
}

/// The first outcome of the late device counts.
void RankDevices::settle(std::string outcome, const std::string& cause) {
  const std::scoped_lock lock(mutex_);
  if (late_opening_) return;
  const double now_s = base::seconds_between(origin_, base::Clock::now());
  const std::string name = late_info_ ? late_info_->name : "";
  late_opening_ = {.device = name, .outcome = std::move(outcome), .cause = cause, .after_s = now_s};
  late_known_.notify_all();
  if (late_opening_->outcome == "failed") {
    base::log("tessera: {}: {}; takes its cores instead", place_, cause);
  }
  if (late_opening_->outcome != "joined") return;
  devices_[static_cast<std::size_t>(late_)].opening = false;
  meter(devices_[static_cast<std::size_t>(late_)]);
  ++joined_;
  if (quiet_) return;
  base::log("{}: {} ({}) joined after {}", place_, name, late_info_->detail,
            base::format_seconds(now_s));
}

void RankDevices::end_joining(const std::string& refusal) {
  if (late_ < 0) return;
  settle(refusal.empty() ? "not needed" : "refused", refusal);
  if (opening(late_)) opener_.request_stop();
}

void RankDevices::end_opening() {
  end_joining();
  if (opener_.joinable()) opener_.join();
}

std::uint64_t RankDevices::late_threads(double within_s) const {
  if (late_ < 0) return 0;
  std::unique_lock lock(mutex_);
  late_known_.wait_for(lock, std::chrono::duration<double>(within_s),
                       [this] { return late_info_ || late_opening_; });
  return late_info_ ? late_info_->threads : 0;
}

std::string RankDevices::names() const {
  std::string names;
  for (const OpenDevice& open : devices_) {
    if (open.in_reserve || open.opening) continue;
    if (!names.empty()) names += '+';
    names += open.device->info().name;
  }
  return names;
}

int RankDevices::working() const {
  return static_cast<int>(std::ranges::count_if(devices_, [](const OpenDevice& open) {
    return !open.failed && !open.in_reserve && !open.opening;
  }));
}

/// Returns "DEVICE: why". Requires mutex_, once there are several threads.
std::string RankDevices::print_loss(const std::string& name, const std::string& why) {
  const std::string cause = why.starts_with(name + ": ") ? why.substr(name.size() + 2) : why;
  losses_.push_back({name, cause});
  const bool last = working() == 0;
  const auto reserve =
      std::ranges::find_if(devices_, [](const OpenDevice& open) { return open.in_reserve.load(); });
  const std::string rest = last && reserve != devices_.end()
                               ? fmt::format("; {} takes over", reserve->device->info().name)
                           : last && alone_ ? ""
                                            : fmt::format("; its {} go to the others", items_);
  base::log("tessera: {}: {} is out of the run: {}{}", place_, name, cause, rest);
  return fmt::format("{}: {}", name, cause);
}

std::string RankDevices::lose(int device, const std::string& why) {
  OpenDevice& open = devices_[static_cast<std::size_t>(device)];
  const std::string& name = open.device->info().name;
  std::scoped_lock lock(mutex_);
  if (open.failed) return why.starts_with(name + ": ") ? why : fmt::format("{}: {}", name, why);
  open.failed = true;
  std::string what = print_loss(name, why);
  if (working() > 0) return what;
  for (OpenDevice& one : devices_) one.in_reserve = false;
  return what;
}

bool RankDevices::drop(int device, const std::string& why) {
  if (working() < 2) return false;
  lose(device, why);
  return true;
}

void RankDevices::note_restart(const std::string& device, const std::string& why) {
  const std::scoped_lock lock(mutex_);
  restarts_.push_back({device, why});
  base::log("tessera: {}: {}: {}; it has been started again", place_, device, why);
}

std::vector<report::LostDevice> RankDevices::restarts() const {
  const std::scoped_lock lock(mutex_);
  return restarts_;
}

std::vector<report::DeviceOpening> RankDevices::openings() const {
  const std::scoped_lock lock(mutex_);
  std::vector<report::DeviceOpening> openings;
  if (late_ >= 0 && !late_opening_) {
    const double now_s = base::seconds_between(origin_, base::Clock::now());
    openings.push_back(
        {.device = late_info_ ? late_info_->name : "", .outcome = "not needed", .after_s = now_s});
  }
  if (late_opening_ && late_opening_->outcome != "absent") openings.push_back(*late_opening_);
  for (const OpenDevice& open : devices_) {
    if (open.opening) continue;
    device::Opening spans = open.device->opening();
    if (spans.empty()) continue;
    std::ranges::copy(open.lanes, std::back_inserter(spans));
    const bool late = late_ >= 0 && &open == &devices_[static_cast<std::size_t>(late_)];
    report::DeviceOpening& opening = late ? openings.front() : openings.emplace_back();
    opening.device = open.device->info().name;
    if (!late) opening.after_s = base::seconds_between(origin_, spans.back().end);
    for (const device::OpeningSpan& span : spans) {
      opening.parts.push_back(
          {std::string(device::kOpeningParts[static_cast<std::size_t>(span.part)]),
           base::seconds_between(origin_, span.start), base::seconds_between(origin_, span.end)});
    }
  }
  return openings;
}

std::vector<report::LostDevice> RankDevices::losses() const {
  std::scoped_lock lock(mutex_);
  return losses_;
}

}  // namespace tessera::binding
