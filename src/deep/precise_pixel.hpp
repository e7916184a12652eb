// Pixels again with more bits, where f64 leaves the count uncertain.
#pragma once

#include <cstdint>
#include <mutex>

#include "deep/jump_table.hpp"
#include "deep/reference_orbit.hpp"

namespace tessera::deep {

struct DeepImage;

/// Computes single pixels with numbers of 106 bits, and then with as many as the reference orbit
/// has. Thread-safe. The tables are made when they are first needed.
class PrecisePixels {
 public:
  /// The pixel in this column and row.
  CountedPixel compute(const DeepImage& image, std::int64_t column, std::int64_t row) const;

  /// With MPFR, z^2 + c from 0: no reference orbit, no jumps.
  static CountedPixel by_definition(const DeepImage& image, std::int64_t column, std::int64_t row);

 private:
  /// Terms of a jump that are dropped, relative to those that remain: first large jumps, then exact
  /// ones.
  static constexpr double kEpsilons[] = {0x1p-80, 0x1p-104};

  struct LazyTable {
    mutable std::once_flag once;
    mutable PreciseTable table;
  };
  const PreciseTable& table(const DeepImage& image, std::size_t tier) const;

  LazyTable tables_[2];
};

}  // namespace tessera::deep
