// The jump table of a deep image in a device's memory: one for all streams of the device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "device/device_error.hpp"
#include "kernels/deep/image.hpp"

namespace tessera::device::gpu {

/// `Memory` owns memory of the device.
template <class Memory>
struct DeepTable {
  kernels::TsDeepImage image;
  Memory memory;
};

/// Thread-safe.
template <class Memory>
class DeepTables {
 public:
  using Table = std::shared_ptr<const DeepTable<Memory>>;

  /// Null if the device does not hold the table of that image.
  Table find(std::uint64_t number) const {
    const std::scoped_lock lock(mutex_);
    return number == number_ ? table_ : nullptr;
  }
  void hold(std::uint64_t number, Table table) {
    const std::scoped_lock lock(mutex_);
    number_ = number;
    table_ = std::move(table);
  }

 private:
  mutable std::mutex mutex_;  ///< guards the members below
  std::uint64_t number_ = 0;
  Table table_;
};

/// What a stream does with them: gpu::Stream has the functions of the same names.
template <class Memory>
class DeepTableUser {
 public:
  explicit DeepTableUser(DeepTables<Memory>& tables) : tables_(tables) {}

  bool use(std::uint64_t number) {
    number_ = number;
    return tables_.find(number) != nullptr;
  }
  /// Frees the table that the device holds, once no launch uses it.
  void drop() {
    made_.reset();
    tables_.hold(0, nullptr);
  }
  void make(const kernels::TsDeepImage& image, Memory memory) {
    made_ = std::make_shared<DeepTable<Memory>>(DeepTable<Memory>{image, std::move(memory)});
  }
  const Memory& being_made() const { return made_->memory; }
  void share(std::uint64_t number) { tables_.hold(number, std::exchange(made_, nullptr)); }
  /// For a launch, until launched().
  const DeepTable<Memory>& table() {
    in_use_ = tables_.find(number_);
    if (!in_use_) throw DeviceError("the device holds the table of another image");
    return *in_use_;
  }
  /// No launch is running any more.
  void launched() { in_use_.reset(); }

 private:
  DeepTables<Memory>& tables_;
  std::uint64_t number_ = 0;
  std::shared_ptr<DeepTable<Memory>> made_;
  typename DeepTables<Memory>::Table in_use_;
};

}  // namespace tessera::device::gpu
