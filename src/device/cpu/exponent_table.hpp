// Sums by exponent, for terms that windows are too narrow for: significands of one exponent are
// added as integers. Source: the large superaccumulator of R. M. Neal, arXiv 1505.05571, with
// signed entries.
#pragma once

#include <array>
#include <cstdint>

namespace tessera::device::cpu {

class ExponentTable {
 public:
  /// That many significands of 53 bits fit into an entry between two calls of fold.
  static constexpr std::size_t kTermsPerFold = 1008;

  /// x * 2^(exponent_of(field)), for kCount pairs.
  template <std::size_t kCount>
  void add(const std::int64_t* x, const std::int64_t* fields) {
    for (std::size_t i = 0; i < kCount; ++i) low_[static_cast<std::size_t>(fields[i])] += x[i];
  }

  /// To be called at least every kTermsPerFold terms, with the lowest and highest fields of these.
  void fold(std::size_t lowest, std::size_t highest) {
    for (std::size_t i = lowest; i <= highest; ++i) {
      high_[i] += low_[i] >> 32;
      low_[i] &= 0xffffffff;
    }
  }

  template <class Sum>
  void give(Sum& to) const {
    for (std::size_t field = 0; field < low_.size(); ++field) {
      if (high_[field] != 0) to.add_scaled(high_[field], exponent_of(field) + 32);
      if (low_[field] != 0) to.add_scaled(low_[field], exponent_of(field));
    }
  }

 private:
  /// Of the last bit of an f64 with this exponent field.
  static int exponent_of(std::size_t field) {
    return field == 0 ? -1074 : static_cast<int>(field) - 1075;
  }

  std::array<std::int64_t, 2048> low_{}, high_{};
};

}  // namespace tessera::device::cpu
