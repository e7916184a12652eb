// The jump tables of a deep image in a device's memory: for all streams of the device.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "device/device_error.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"
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

  /// Null if the device does not hold that table of that image.
  Table find(std::uint64_t number, std::uint32_t table) const {
    const std::scoped_lock lock(mutex_);
    return number == number_ ? tables_.at(table) : nullptr;
  }
  /// Holds tables of the image whose first table came last.
  void hold(std::uint64_t number, std::uint32_t table, Table held) {
    const std::scoped_lock lock(mutex_);
    if (table == 0) tables_ = {};
    number_ = number;
    tables_.at(table) = std::move(held);
  }
  void drop(std::uint32_t table) {
    const std::scoped_lock lock(mutex_);
    if (table == 0) tables_ = {};
    tables_.at(table) = nullptr;
  }

 private:
  mutable std::mutex mutex_;  ///< guards the members below
  std::uint64_t number_ = 0;
  std::array<Table, kDeepTables> tables_;
};

/// The calls of a stream for them: gpu::Stream has the functions of the same names.
template <class Memory>
class DeepTableUser {
 public:
  explicit DeepTableUser(DeepTables<Memory>& tables) : tables_(tables) {}

  bool use(std::uint64_t number, std::uint32_t table) {
    number_ = number;
    return tables_.find(number, table) != nullptr;
  }
  /// Frees what make_deep() forgets, once no launch uses it.
  void drop(std::uint32_t table) {
    made_.reset();
    tables_.drop(table);
  }
  void make(std::uint32_t table, const kernels::TsDeepImage& image, Memory memory) {
    made_table_ = table;
    made_ = std::make_shared<DeepTable<Memory>>(DeepTable<Memory>{image, std::move(memory)});
  }
  const Memory& being_made() const { return made_->memory; }
  void share(std::uint64_t number) {
    tables_.hold(number, made_table_, std::exchange(made_, nullptr));
  }
  /// For a launch, until launched().
  const DeepTable<Memory>& table(std::uint32_t table) {
    in_use_ = tables_.find(number_, table);
    if (!in_use_) throw DeviceError("the device holds the table of another image");
    return *in_use_;
  }
  /// No launch is running any more.
  void launched() { in_use_.reset(); }

 private:
  DeepTables<Memory>& tables_;
  std::uint64_t number_ = 0;
  std::uint32_t made_table_ = 0;
  std::shared_ptr<DeepTable<Memory>> made_;
  typename DeepTables<Memory>::Table in_use_;
};

}  // namespace tessera::device::gpu
