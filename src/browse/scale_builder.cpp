#include "browse/scale_builder.hpp"

#include <algorithm>
#include <chrono>

namespace tessera::browse {
namespace {

constexpr std::chrono::seconds kLooking{10};  ///< since the last request

}  // namespace

ScaleBuilder::ScaleBuilder(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

ScaleBuilder::~ScaleBuilder() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ScaleBuilder::want(const std::shared_ptr<PlaneScales>& scales) {
  scales->touch();
  if (scales->complete()) return;
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(all_, [&](const std::weak_ptr<PlaneScales>& one) {
      const auto other = one.lock();
      return !other || other == scales;
    });
    all_.push_back(scales);
  }
  wanted_.notify_all();
}

std::shared_ptr<PlaneScales> ScaleBuilder::next() {
  while (!all_.empty()) {
    auto scales = all_.back().lock();
    if (scales && !scales->complete() && scales->touched_within(kLooking)) return scales;
    all_.pop_back();
  }
  return nullptr;
}

void ScaleBuilder::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::shared_ptr<PlaneScales> scales;
    wanted_.wait(lock, [&] { return closed_ || (scales = next()) != nullptr; });
    if (closed_) return;
    lock.unlock();
    const bool made = scales->make_next();
    lock.lock();
    // The last blocks are being made by other threads.
    if (!made) std::erase_if(all_, [&](const auto& one) { return one.lock() == scales; });
  }
}

}  // namespace tessera::browse
