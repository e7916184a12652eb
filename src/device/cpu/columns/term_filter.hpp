// Handles elements that the windows of columns did not take, one at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "device/cpu/columns/windowed_columns.hpp"

namespace tessera::device::cpu {

/// The square of a number in this range is finite, and its error is an f64.
inline constexpr double kSmallestSquared = 0x1p-479;
inline constexpr double kLargestSquared = 0x1p+511;

/// Separates elements that windows can hold from all others.
class TermFilter {
 public:
  TermFilter(WindowedColumns& sums, Terms terms, bool has_error)
      : sums_(sums), terms_(terms), has_error_(has_error) {}

  /// Returns the element if windows can hold it; otherwise adds or counts it and returns 0. Raises
  /// `top` to at least the exponent above its term.
  double sort(double x, std::int64_t output, int& top) {
    if (!std::isfinite(x)) {
      count(x, static_cast<std::size_t>(output));
      return 0;
    }
    const double size = std::abs(x);
    const bool squares = terms_ == Terms::squares;
    const bool outside =
        squares ? (has_error_ && size < kSmallestSquared && size > 0) || size >= kLargestSquared
                : size >= 0x1p+1000;
    if (outside) {
      sums_.add_residual(output, x);
      return 0;
    }
    const double term = squares ? x * x : size;
    if (term > 0)
      top = std::max(top, static_cast<int>(std::bit_cast<std::uint64_t>(term) >> 52) - 1022);
    return x;
  }

 private:
  void count(double x, std::size_t output) {
    ColumnSpecials* const specials = sums_.specials();
    if (specials == nullptr) return;
    specials->make_room(static_cast<std::size_t>(sums_.outputs()));
    ++(std::isnan(x) ? specials->nans
       : x > 0       ? specials->positive_infinities
                     : specials->negative_infinities)[output];
  }

  WindowedColumns& sums_;
  Terms terms_;
  bool has_error_;
};

}  // namespace tessera::device::cpu
