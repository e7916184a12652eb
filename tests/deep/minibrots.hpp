// Random places near copies of the Mandelbrot set, at any depth.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "deep/big_real.hpp"

namespace tessera::deep {

/// A copy of the set: the centre of its main body, a parameter of that period.
struct Minibrot {
  BigComplex nucleus;
  std::int64_t period = 1;
  kernels::ScaledReal size;  ///< about that of the whole set divided by 2
};

/// The copy of lowest period around `start`, if one with a period up to `most` is within `radius`.
std::optional<Minibrot> find_minibrot(const BigComplex& start, const kernels::ScaledReal& radius,
                                      std::int64_t most);

/// `value` with `digits` significant digits.
std::string decimal(const BigReal& value, std::int64_t digits);
/// `a` with five digits.
std::string decimal(const kernels::ScaledReal& a);

/// A place near a minibrot, in decimals.
struct RandomPlace {
  std::string re, im, width;
  std::int64_t period = 1;
};

/// Whose width is below 10^-least, and not much further below.
RandomPlace random_place(std::mt19937_64& random, int least);

}  // namespace tessera::deep
