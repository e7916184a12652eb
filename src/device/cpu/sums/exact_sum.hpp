// Exact sums at memory speed: vectors of f64 in front of a superaccumulator. With every instruction
// set, the accumulator and its counts of NaN and infinities have the same value as after adding the
// terms one by one. docs/numerics-sums.md, "Sums".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/cpu/passes/array_extremes.hpp"
#include "kernels/exact/superaccumulator.hpp"

namespace tessera::device::cpu {

using kernels::SquareAccumulator;
using kernels::Superaccumulator;

/// Treatment of terms that windows cannot hold. `refused`: a block that contains one is refused.
/// `outliers`: large or tiny terms are added individually. `nans`: as `outliers`, and NaN are
/// masked out and counted. Each costs more than the one before it.
enum class Unusual { refused, outliers, nans };

/// The number of windows for terms below 2^top; windows = 0 means the exponent table.
struct Method {
  std::size_t windows = 0;
  Unusual unusual = Unusual::refused;
  int top = 0;
};

/// The method for the next block, chosen from earlier blocks of the array, and the number of blocks
/// until the next review. The sums are exact for any guess.
struct Guess {
  Method method;
  int blocks_to_review = 0;
};

/// Which terms are summed by plain additions (all, those below 2^top, or none), and how often that
/// failed.
enum class PlainTerms { all, below_top, none };
struct PlainGuess {
  PlainTerms which = PlainTerms::all;
  int top = 0;
  int blocks_to_review = 0;
  int trouble = 0;
};

/// Suspends a method that has failed too often.
class Backoff {
 public:
  bool allows() { return rest_ == 0 || --rest_ == 0; }
  void succeeded() { trouble_ = trouble_ > 0 ? trouble_ - 1 : 0; }
  void failed() {
    trouble_ += kTroubleOfFailure;
    if (trouble_ > 2 * kTroubleOfFailure) {
      rest_ = kBlocksOfRest;
      trouble_ = kTroubleOfFailure;
    }
  }

 private:
  static constexpr int kTroubleOfFailure = 8;  ///< one failure weighs as much as this many
                                               ///< successes
  static constexpr int kBlocksOfRest = 128;
  int trouble_ = 0;
  int rest_ = 0;  ///< blocks until the next attempt
};

struct Guesses {
  Guess terms, products;
  PlainGuess plain;
  Guess deferred;    ///< for the numbers that plain additions defer
  Backoff integers;  ///< for sums and sums of squares by integers
};

/// Optional input and output of a sum; null pointers are ignored.
template <class T>
struct Alongside {
  /// Updated with the extremes of the numbers while they are in the L1 cache; invalid if there is a
  /// NaN.
  Extremes<T>* extremes = nullptr;
  /// Initial guesses; receives those for the next call.
  Guesses* guesses = nullptr;
};

/// Functions that add the numbers x, their absolute values, the unrounded products x[i] y[i] of as
/// many x and y, or x and the unrounded squares of x. Only `sum` and `moments` update the extremes.
template <class T>
struct ExactSumKernels {
  void (*sum)(std::span<const T> x, Superaccumulator&, Alongside<T>) = nullptr;
  void (*absolute_sum)(std::span<const T> x, Superaccumulator&, Alongside<T>) = nullptr;
  void (*dot)(std::span<const T> x, std::span<const T> y, SquareAccumulator&,
              Alongside<T>) = nullptr;
  void (*moments)(std::span<const T> x, Superaccumulator&, SquareAccumulator&,
                  Alongside<T>) = nullptr;
};

struct ExactSumSet {
  ExactSumKernels<double> f64;
  ExactSumKernels<float> f32;
};

/// The set of one of Highway's targets; each has a source of its own, so that they are compiled
/// side by side.
template <std::int64_t kTarget>
ExactSumSet exact_sum_set();

}  // namespace tessera::device::cpu
