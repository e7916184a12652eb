// Exact sums at the speed of memory: vectors of f64 in front of a superaccumulator. The value in
// the accumulator afterwards is what adding the terms one by one would give, with every instruction
// set; so are its numbers of NaN and infinities. docs/numerics.md, "Sums".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/cpu/passes/array_extremes.hpp"
#include "kernels/exact/superaccumulator.hpp"

namespace tessera::device::cpu {

using kernels::SquareAccumulator;
using kernels::Superaccumulator;

/// Adds the numbers to the sum.
void exact_sum(std::span<const double> x, Superaccumulator& sum);
void exact_sum(std::span<const float> x, Superaccumulator& sum);

/// Adds their absolute values.
void exact_absolute_sum(std::span<const double> x, Superaccumulator& sum);
void exact_absolute_sum(std::span<const float> x, Superaccumulator& sum);

/// Adds their squares, none of them rounded.
void exact_sum_of_squares(std::span<const double> x, SquareAccumulator& squares);
void exact_sum_of_squares(std::span<const float> x, SquareAccumulator& squares);

/// Adds the products x[i] y[i], none of them rounded; x and y are of the same size.
void exact_dot(std::span<const double> x, std::span<const double> y, SquareAccumulator& products);
void exact_dot(std::span<const float> x, std::span<const float> y, SquareAccumulator& products);

/// exact_sum and exact_sum_of_squares with one journey through memory.
void exact_moments(std::span<const double> x, Superaccumulator& sum, SquareAccumulator& squares);
void exact_moments(std::span<const float> x, Superaccumulator& sum, SquareAccumulator& squares);

/// Terms that windows cannot take: there are none, or a block with them is refused; outliers are
/// added by themselves; NaN are counted, too. The second costs more than the first, the third more
/// than the second.
enum class Unusual { refused, outliers, nans };

/// A number of windows for terms below 2^top, or with windows = 0 the table of exponents.
struct Method {
  std::size_t windows = 0;
  Unusual unusual = Unusual::refused;
  int top = 0;
};

/// How the last block was summed, and for how many more that will do: a guess of how to begin with
/// the next numbers of an array. Whatever it is, sums are exact.
struct Guess {
  Method method;
  int blocks_to_review = 0;
};

/// Which terms are added plainly, those below 2^top or all, and how that went.
enum class PlainTerms { all, below_top, none };
struct PlainGuess {
  PlainTerms which = PlainTerms::all;
  int top = 0;
  int blocks_to_review = 0;
  int trouble = 0;
};

/// Says when it is better not to try what failed too often.
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
  static constexpr int kTroubleOfFailure = 8;  ///< as much as so many blocks without are worth
  static constexpr int kBlocksOfRest = 128;
  int trouble_ = 0;
  int rest_ = 0;  ///< blocks
};

struct Guesses {
  Guess terms, products;
  PlainGuess plain;
  Guess deferred;    ///< of what plain additions left
  Backoff integers;  ///< with sums and sums of squares as integers
};

/// What a sum may do on its way; nothing if null.
template <class T>
struct Alongside {
  /// Takes in those of the numbers, while they are in the first cache; with a NaN among them it is
  /// of no use.
  Extremes<T>* extremes = nullptr;
  /// Begins with them and leaves them for the next call.
  Guesses* guesses = nullptr;
};

/// The functions above in the code of one instruction set; extremes are those of sum and moments.
template <class T>
struct ExactSumKernels {
  void (*sum)(std::span<const T>, Superaccumulator&, Alongside<T>) = nullptr;
  void (*absolute_sum)(std::span<const T>, Superaccumulator&, Alongside<T>) = nullptr;
  void (*dot)(std::span<const T>, std::span<const T>, SquareAccumulator&, Alongside<T>) = nullptr;
  void (*moments)(std::span<const T>, Superaccumulator&, SquareAccumulator&,
                  Alongside<T>) = nullptr;
};

struct ExactSumSet {
  std::string name;  ///< "avx2": what follows "cpu:"
  ExactSumKernels<double> f64;
  ExactSumKernels<float> f32;
};

/// Those of this build that this machine can run, best first; the last one runs everywhere.
std::vector<ExactSumSet> exact_sum_sets();

/// The set of one of Highway's targets; each has a source of its own, so that they are compiled
/// side by side.
template <std::int64_t kTarget>
ExactSumSet exact_sum_set();

}  // namespace tessera::device::cpu
