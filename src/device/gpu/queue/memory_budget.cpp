#include "device/gpu/queue/memory_budget.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/device_error.hpp"
#include "device/gpu/queue/device_queue.hpp"

namespace tessera::device::gpu {

namespace {
/// Pixels of a lane, and its statistics.
constexpr std::size_t kMinBesideTable = 2 * DeviceQueue::kMinBytes;
constexpr std::uint64_t kStatsBytes = std::uint64_t{1} << 12;

std::uint64_t least_with_table(const LaneMemory& memory, std::uint64_t table_bytes) {
  return table_bytes + static_cast<std::uint64_t>(memory.lanes) * kMinBesideTable;
}
}  // namespace

bool MemoryBudget::has_room(std::size_t bytes) const {
  return !limited() || used_bytes_ + bytes <= limit_bytes_;
}

void MemoryBudget::refuse(std::size_t bytes, bool alone) const {
  const auto [given, needed] = base::format_different_bytes(
      static_cast<double>(limit_bytes_), static_cast<double>(used_bytes_ + bytes));
  if (!alone) throw DeviceBusyError(fmt::format("--device-memory {} has no room for more", given));
  throw base::usage_error("--device-memory {}: one lane of {} needs {}; give at least that", given,
                          device_, needed);
}

bool MemoryBudget::try_take(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (!has_room(bytes)) return false;
  used_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  return true;
}

void MemoryBudget::take(std::size_t bytes) {
  if (try_take(bytes)) return;
  const std::scoped_lock lock(mutex_);
  refuse(bytes, streams_ == 1);
}

void MemoryBudget::give_back(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  used_bytes_ -= bytes;
}

std::uint64_t MemoryBudget::peak_bytes() const {
  const std::scoped_lock lock(mutex_);
  return peak_bytes_;
}

void MemoryBudget::open_stream(std::size_t opening_bytes) {
  const std::scoped_lock lock(mutex_);
  if (!has_room(opening_bytes)) refuse(opening_bytes, streams_ == 0);
  ++streams_;
}

void MemoryBudget::close_stream() {
  const std::scoped_lock lock(mutex_);
  --streams_;
}

LaneMemory divide_memory(std::uint64_t limit_bytes, int lanes) {
  if (limit_bytes == 0) return {.lanes = lanes};
  const auto useful = static_cast<int>(
      std::clamp<std::uint64_t>(limit_bytes / kUsefulBytes, 1, static_cast<std::uint64_t>(lanes)));
  return {useful,
          std::max(DeviceQueue::kMinBytes,
                   static_cast<std::size_t>(limit_bytes) / static_cast<std::size_t>(useful)),
          limit_bytes};
}

bool has_room_for_table(const LaneMemory& memory, std::uint64_t table_bytes) {
  return memory.limit_bytes == 0 || least_with_table(memory, table_bytes) <= memory.limit_bytes;
}

void check_table(const LaneMemory& memory, std::uint64_t table_bytes) {
  if (has_room_for_table(memory, table_bytes)) return;
  const std::uint64_t least = least_with_table(memory, table_bytes);
  const auto [given, needed] = base::format_different_bytes(static_cast<double>(memory.limit_bytes),
                                                            static_cast<double>(least));
  throw base::usage_error(
      "--device-memory {}: the jump table of this image and {} need {}; give at least that, or "
      "take "
      "cpu",
      given, base::count_of(memory.lanes, "lane"), needed);
}

std::size_t bytes_beside_table(const LaneMemory& memory, std::uint64_t table_bytes) {
  if (memory.limit_bytes == 0) return memory.buffer_bytes;
  const auto of_lane = (memory.limit_bytes - std::min(memory.limit_bytes, table_bytes)) /
                       static_cast<std::uint64_t>(memory.lanes);
  return std::max<std::size_t>(DeviceQueue::kMinBytes, of_lane - std::min(of_lane, kStatsBytes));
}

}  // namespace tessera::device::gpu
