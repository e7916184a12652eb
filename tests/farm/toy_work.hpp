// Items that cost next to nothing, for tests of the farm.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <stdexcept>
#include <thread>

#include "base/bytes.hpp"
#include "device/device.hpp"
#include "farm/work.hpp"

namespace tessera::farm {

/// Item i becomes `i % 3 + 1` parts and one parcel of i * i % 5000 + 8 bytes that holds i first;
/// item `fails` throws.
class ToyWork : public Work {
 public:
  explicit ToyWork(int lanes, std::int64_t fails = -1) : lanes_(lanes), fails_(fails) {}
  /// Called before each part; throws what a device would.
  virtual void use_device(int) {}
  int lanes() const override { return lanes_; }
  report::Stage part_stage() const override { return report::Stage::compute; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<Task> begin(std::int64_t item, int) override;
  std::int64_t fails() const { return fails_; }

 private:
  int lanes_;
  std::int64_t fails_;
};

class ToyTask : public Task {
 public:
  ToyTask(ToyWork& work, std::int64_t item) : work_(work), item_(item) {}
  int parts() const override { return static_cast<int>(item_ % 3) + 1; }
  void run_part(int, int lane) override {
    work_.use_device(lane);
    if (item_ == work_.fails()) throw std::runtime_error("toy item failed");
    ++done_;
  }
  void finish(int, const SendResult& send_result) override {
    if (done_ != parts()) throw std::logic_error("finished before all parts were done");
    base::ByteWriter body;
    body.put(item_).put_bytes(base::Bytes(static_cast<std::size_t>(item_ * item_ % 5000)));
    send_result({.item = item_, .body = body.take()});
  }

 private:
  ToyWork& work_;
  std::int64_t item_;
  std::atomic<int> done_ = 0;
};

inline std::unique_ptr<Task> ToyWork::begin(std::int64_t item, int) {
  return std::make_unique<ToyTask>(*this, item);
}

/// Takes a fifth of a second for each part, if `slow`.
class SlowWork : public ToyWork {
 public:
  SlowWork(int lanes, bool slow) : ToyWork(lanes), slow_(slow) {}
  void use_device(int) override {
    if (slow_) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  std::unique_ptr<Task> begin(std::int64_t item, int lane) override {
    ++begun_;
    return ToyWork::begin(item, lane);
  }
  int begun() const { return begun_; }

 private:
  bool slow_;
  std::atomic<int> begun_ = 0;
};

/// Lanes on several devices, of which each fails at its own call, and at all later ones.
class DyingWork : public ToyWork {
 public:
  /// `lives`: for each device the calls that go well, < 0 = all; lane i is on device i modulo
  /// their number.
  DyingWork(int lanes, const std::vector<int>& lives) : ToyWork(lanes) {
    for (const int life : lives) devices_.emplace_back().lives = life;
  }
  void use_device(int lane) override {
    Device& device = device_of(lane);
    if (device.lives >= 0 && ++device.calls > device.lives) throw device::DeviceError("toy died");
  }
  /// Keeps the last device in reserve until the one before it dies.
  void keep_reserve() { devices_.back().lost = true; }
  bool lane_lost(int lane) const override { return device_of(lane).lost; }
  std::string lose_lane(int lane, const std::string& why) override {
    device_of(lane).lost = true;
    if (devices_.size() > 1 && &devices_.back() != &device_of(lane)) devices_.back().lost = false;
    return "toy " + std::to_string(lane) + ": " + why;
  }

 private:
  struct Device {
    int lives = -1;
    std::atomic<int> calls = 0;
    std::atomic<bool> lost = false;
  };
  Device& device_of(int lane) { return devices_[static_cast<std::size_t>(lane) % devices_.size()]; }
  const Device& device_of(int lane) const {
    return devices_[static_cast<std::size_t>(lane) % devices_.size()];
  }
  std::deque<Device> devices_;
};

/// Counts how often each item arrived; throws at item `fails`.
class ToySink : public Sink {
 public:
  explicit ToySink(std::int64_t fails = -1) : fails_(fails) {}
  void put(ResultChunk result_chunk) override {
    if (result_chunk.item == fails_) throw std::runtime_error("toy disk is full");
    if (base::ByteReader(result_chunk.body).get<std::int64_t>() != result_chunk.item) ++wrong;
    ++times[result_chunk.item];
  }
  std::map<std::int64_t, int> times;
  int wrong = 0;

 private:
  std::int64_t fails_;
};

}  // namespace tessera::farm
