// The tables of an image for pixels whose count is uncertain in f64.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

#include "deep/jump_table.hpp"
#include "deep/wide_tier.hpp"

namespace tessera::deep {

struct DeepImage;

/// Made when they are first needed. Thread-safe.
class PreciseTables {
 public:
  /// Throws a usage error if it needs more memory than there may be.
  const PreciseTable& table(const DeepImage& image);
  /// For pixels that stay uncertain. Null if it needs more memory than there may be, and its counts
  /// are all that is requested: those by definition are the same. Smooth values would have other
  /// bits, so then it throws a usage error.
  const WideTier* wide(const DeepImage& image);

  /// Tables that are made from now on take so many bytes at most, all together.
  void limit_bytes(std::uint64_t most) { max_bytes_ = most; }

 private:
  std::atomic<std::uint64_t> max_bytes_ = std::numeric_limits<std::uint64_t>::max();
  std::once_flag table_once_, wide_once_;
  PreciseTable table_;
  std::optional<WideTier> wide_;
};

}  // namespace tessera::deep
