// The tables of an image for pixels whose count is uncertain in f64.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "deep/jump_table.hpp"
#include "deep/wide_tier.hpp"

namespace tessera::deep {

struct DeepImage;

/// Made when they are first needed. Thread-safe.
class PreciseTables {
 public:
  /// Terms of a jump that are dropped, relative to those that remain: first large jumps, then exact
  /// ones.
  static constexpr std::array<double, 2> kEpsilons{0x1p-80, 0x1p-104};

  const PreciseTable& table(const DeepImage& image, std::size_t tier) const;
  /// For pixels that stay uncertain.
  const WideTier& wide(const DeepImage& image) const;

 private:
  struct Lazy {
    std::once_flag once;
    PreciseTable table;
  };
  mutable std::array<Lazy, kEpsilons.size()> tables_;
  mutable std::once_flag wide_once_;
  mutable WideTier wide_;
};

}  // namespace tessera::deep
