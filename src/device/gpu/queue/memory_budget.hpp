// The memory of a GPU that a process may use (--device-memory), shared by the device's streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>

namespace tessera::device::gpu {

/// Thread-safe.
class MemoryBudget {
 public:
  /// `limit_bytes`: 0 = no limit.
  MemoryBudget(std::string device, std::uint64_t limit_bytes)
      : device_(std::move(device)), limit_bytes_(limit_bytes) {}

  /// False, without a change, if fewer bytes are left.
  bool try_take(std::size_t bytes);
  /// Throws if fewer bytes are left: a usage error that says what is needed if only one stream is
  /// open, DeviceBusyError otherwise.
  void take(std::size_t bytes);
  void give_back(std::size_t bytes);

  std::uint64_t limit_bytes() const { return limit_bytes_; }
  bool limited() const { return limit_bytes_ != 0; }
  /// The most bytes that were taken at one time.
  std::uint64_t peak_bytes() const;

 private:
  friend class BudgetedStream;
  void open_stream(std::size_t opening_bytes);
  void close_stream();
  // These require mutex_.
  bool has_room(std::size_t bytes) const;
  [[noreturn]] void refuse(std::size_t bytes, bool alone) const;

  std::string device_;
  std::uint64_t limit_bytes_;
  mutable std::mutex mutex_;  ///< guards the members below
  std::uint64_t used_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
  int streams_ = 0;
};

/// An open stream. Throws as take() if `opening_bytes`, all that it allocates when it opens, are
/// more than is left.
class BudgetedStream {
 public:
  BudgetedStream(std::shared_ptr<MemoryBudget> budget, std::size_t opening_bytes)
      : budget_(std::move(budget)) {
    budget_->open_stream(opening_bytes);
  }
  ~BudgetedStream() { budget_->close_stream(); }
  BudgetedStream(const BudgetedStream&) = delete;
  BudgetedStream& operator=(const BudgetedStream&) = delete;

 private:
  std::shared_ptr<MemoryBudget> budget_;
};

/// How --device-memory is divided among the lanes of a device.
struct LaneMemory {
  int lanes = 1;
  /// Most bytes of a lane's pixels or elements.
  std::size_t buffer_bytes = std::numeric_limits<std::size_t>::max();
  std::uint64_t limit_bytes = 0;  ///< limit of the memory of the device; 0 = none
};

/// Fewer lanes where each of `lanes` would have less than kUsefulBytes. `limit_bytes`: 0 = no
/// limit. Pure.
LaneMemory divide_memory(std::uint64_t limit_bytes, int lanes);

/// Whether tables of so many bytes fit beside the lanes.
bool has_room_for_table(const LaneMemory& memory, std::uint64_t table_bytes);
/// Throws a usage error if a table of `table_bytes` bytes does not fit beside the lanes.
void check_table(const LaneMemory& memory, std::uint64_t table_bytes);
/// Most bytes of a lane's pixels beside such a table. Pure.
std::size_t bytes_beside_table(const LaneMemory& memory, std::uint64_t table_bytes);

/// A buffer of this size hides the latency of launches and copies. It is more useful than a second
/// lane.
// crossed by: IsForFewerLanesWhereItIsLittle
inline constexpr std::size_t kUsefulBytes = std::size_t{8} << 20;

}  // namespace tessera::device::gpu
