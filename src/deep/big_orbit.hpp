// An orbit in multiprecision.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "deep/big_real.hpp"
#include "kernels/deep/double_double.hpp"
#include "kernels/deep/scaled.hpp"
#include "kernels/pixel/formulas.hpp"

namespace tessera::deep {

class MulHelperThread;

/// fold(z)^degree.
struct Power {
  kernels::TsFold fold = kernels::TS_FOLD_NONE;
  int degree = 2;
};

/// The orbit of fold(z)^degree + c from z on, with the bits of c.
class BigOrbit {
 public:
  /// Long numbers are squared on two threads where that is quicker: there may be one core, or other
  /// programs. With 1 for `threads`, never. The bits are the same.
  BigOrbit(const BigComplex& c, const BigComplex& z, Power power, int threads = 1);
  ~BigOrbit();
  BigOrbit(const BigOrbit&) = delete;
  BigOrbit& operator=(const BigOrbit&) = delete;

  const BigComplex& z() const { return z_; }
  /// Continues from there. `exact` if z has not been rounded.
  void set(const BigComplex& z, bool exact) {
    z_ = z;
    is_exact_ = exact;
  }

  void step();
  /// Whether no step has been rounded.
  bool is_exact() const { return is_exact_; }

  kernels::DoubleDouble re();
  kernels::DoubleDouble im();
  /// z without loss of small numbers.
  kernels::ScaledComplex<kernels::DoubleDouble> scaled();
  /// The real and the imaginary part, each with its exponent.
  std::array<kernels::ScaledComplex<kernels::DoubleDouble>, 2> scaled_parts();
  /// The parts of z less these numbers.
  std::pair<double, double> rest(const kernels::DoubleDouble& re, const kernels::DoubleDouble& im);

  double radius2() const;
  /// |z|^2 - bound, also where f64 cannot tell.
  kernels::ScaledReal above(double bound);
  bool beyond(double bound) { return above(bound).m > 0; }

 private:
  void fold();
  void square();
  void square_im();
  void times_w();
  /// `rounding`: what MPFR returns for a result, 0 if it is exact.
  void note(int rounding) { is_exact_ = is_exact_ && rounding == 0; }
  void choose_threads();
  void end_trial(bool both_win);

  Power power_;
  BigComplex c_, z_;
  BigComplex w_;   ///< fold(z) of a step
  BigReal a_, b_;  ///< for intermediate results
  bool is_exact_ = true;
  int rounding_of_im_ = 0;  ///< for another thread
  std::unique_ptr<MulHelperThread> second_;
  std::uint64_t steps_ = 0;
  bool both_ = false;  ///< threads work in this block of steps
  bool both_win_ = false;
  std::uint64_t blocks_ = 0;  ///< since the last trial
  std::uint64_t trial_after_ = 1;
  int slow_blocks_ = 0;      ///< slow blocks of both threads, one after the other
  double one_thread_s_ = 0;  ///< the last block of one thread
  base::Clock::time_point block_begun_;
};

}  // namespace tessera::deep
