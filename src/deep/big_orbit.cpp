#include "deep/big_orbit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "deep/all_cores.hpp"
#include "deep/mul_helper_thread.hpp"

namespace tessera::deep {

using kernels::DoubleDouble;
using kernels::ScaledComplex;
using kernels::ScaledReal;

namespace {

/// A second thread pays from so many bits on: two multiplications take 10 us.
// crossed by: have_the_bits_of_one
constexpr std::int64_t kBitsForTwoThreads = 8192;
/// Steps between two looks at the clock.
constexpr std::uint64_t kBlockSteps = 8;
/// Blocks that a trial of two threads takes at most.
constexpr int kMaxSlowBlocks = 8;
/// So many blocks until what was slower is tried again, at first and at most.
constexpr std::uint64_t kFirstTrial = 8;
constexpr std::uint64_t kMaxBlocks = 4096;

/// The nearest f64 and the nearest to the rest.
DoubleDouble two_parts(const BigReal& value, BigReal& rest) {
  const double hi = mpfr_get_d(value.get(), MPFR_RNDN);
  mpfr_sub_d(rest.get(), value.get(), hi, MPFR_RNDN);
  return {hi, mpfr_get_d(rest.get(), MPFR_RNDN)};
}

double third_part(const BigReal& value, const DoubleDouble& two, BigReal& rest) {
  mpfr_sub_d(rest.get(), value.get(), two.hi, MPFR_RNDN);
  mpfr_sub_d(rest.get(), rest.get(), two.lo, MPFR_RNDN);
  return mpfr_get_d(rest.get(), MPFR_RNDN);
}

/// (x + iy) 2^e without loss, by exact shifts.
ScaledComplex<DoubleDouble> as_scaled(const BigComplex& z, BigReal& shifted, BigReal& rest) {
  const ScaledReal x = z.re.scaled();
  const ScaledReal y = z.im.scaled();
  if (x.is_zero() && y.is_zero()) return {};
  const std::int64_t e = std::max(x.e, y.e);
  mpfr_mul_2si(shifted.get(), z.re.get(), static_cast<long>(-e), MPFR_RNDN);
  const DoubleDouble re = two_parts(shifted, rest);
  mpfr_mul_2si(shifted.get(), z.im.get(), static_cast<long>(-e), MPFR_RNDN);
  return kernels::ts_normalized(re, two_parts(shifted, rest), e);
}

}  // namespace

BigOrbit::BigOrbit(const BigComplex& c, const BigComplex& z, Power power, int threads)
    : power_(power), c_(c), z_(z), w_(z), a_(c.re.bits()), b_(c.re.bits()) {
  if (threads < 2 || c.re.bits() < kBitsForTwoThreads || usable_cores() < 2) return;
  second_ = std::make_unique<MulHelperThread>([this] { square_im(); });
}

BigOrbit::~BigOrbit() = default;

/// The quicker way, by the clock. A thread that sleeps takes some blocks to wake up on another
/// core, so both threads lose only after several slow ones.
void BigOrbit::choose_threads() {
  if (steps_++ % kBlockSteps != 0) return;
  const auto now = base::Clock::now();
  const double block_s = base::seconds_between(std::exchange(block_begun_, now), now);
  if (steps_ == 1) return;
  ++blocks_;
  if (!both_) {
    one_thread_s_ = block_s;
    both_ = both_win_ || blocks_ >= trial_after_;
    slow_blocks_ = 0;
    return;
  }
  slow_blocks_ = block_s < one_thread_s_ ? 0 : slow_blocks_ + 1;
  if (slow_blocks_ == kMaxSlowBlocks) {
    end_trial(false);
  } else if (both_win_ ? blocks_ >= trial_after_ : slow_blocks_ == 0) {
    end_trial(true);
  }
}

void BigOrbit::end_trial(bool both_win) {
  trial_after_ = both_win == both_win_ ? std::min(2 * trial_after_, kMaxBlocks) : kFirstTrial;
  both_ = both_win && !both_win_;  // those who win again let one thread show how quick it is
  both_win_ = both_win;
  blocks_ = 0;
}

void BigOrbit::step() {
  if (second_) choose_threads();
  fold();
  if (power_.degree > 2) w_ = z_;
  square();
  for (int k = 2; k < power_.degree; ++k) times_w();
  note(mpfr_add(z_.re.get(), z_.re.get(), c_.re.get(), MPFR_RNDN));
  note(mpfr_add(z_.im.get(), z_.im.get(), c_.im.get(), MPFR_RNDN));
}

void BigOrbit::fold() {
  if (power_.fold == kernels::TS_FOLD_ABSOLUTE) {
    mpfr_abs(z_.re.get(), z_.re.get(), MPFR_RNDN);
    mpfr_abs(z_.im.get(), z_.im.get(), MPFR_RNDN);
  } else if (power_.fold == kernels::TS_FOLD_CONJUGATE) {
    mpfr_neg(z_.im.get(), z_.im.get(), MPFR_RNDN);
  }
}

/// z = zw.
void BigOrbit::times_w() {
  mpfr_ptr x = z_.re.get();
  mpfr_ptr y = z_.im.get();
  note(mpfr_fmms(a_.get(), x, w_.re.get(), y, w_.im.get(), MPFR_RNDN));
  note(mpfr_fmma(y, x, w_.im.get(), y, w_.re.get(), MPFR_RNDN));
  mpfr_swap(x, a_.get());
}

/// z = z^2 by two multiplications: (x + y)(x - y) and xy.
void BigOrbit::square() {
  mpfr_ptr x = z_.re.get();
  note(mpfr_add(a_.get(), x, z_.im.get(), MPFR_RNDN));
  note(mpfr_sub(b_.get(), x, z_.im.get(), MPFR_RNDN));
  both_ ? second_->begin() : square_im();
  note(mpfr_mul(a_.get(), a_.get(), b_.get(), MPFR_RNDN));
  if (both_) second_->wait();
  note(rounding_of_im_);
  mpfr_swap(x, a_.get());
}

void BigOrbit::square_im() {
  mpfr_ptr y = z_.im.get();
  rounding_of_im_ = mpfr_mul(y, z_.re.get(), y, MPFR_RNDN);
  mpfr_mul_2ui(y, y, 1, MPFR_RNDN);
}

DoubleDouble BigOrbit::re() {
  return two_parts(z_.re, a_);
}
DoubleDouble BigOrbit::im() {
  return two_parts(z_.im, a_);
}
ScaledComplex<DoubleDouble> BigOrbit::scaled() {
  return as_scaled(z_, a_, b_);
}
std::array<ScaledComplex<DoubleDouble>, 2> BigOrbit::scaled_parts() {
  const BigReal zero(c_.re.bits());
  return {as_scaled({z_.re, zero}, a_, b_), as_scaled({zero, z_.im}, a_, b_)};
}

std::pair<double, double> BigOrbit::rest(const DoubleDouble& re, const DoubleDouble& im) {
  return {third_part(z_.re, re, a_), third_part(z_.im, im, a_)};
}

double BigOrbit::radius2() const {
  const double x = mpfr_get_d(z_.re.get(), MPFR_RNDN);
  const double y = mpfr_get_d(z_.im.get(), MPFR_RNDN);
  return std::fma(x, x, y * y);
}

ScaledReal BigOrbit::above(double bound) {
  const double rough = radius2() - bound;
  if (!(std::abs(rough) <= 1e-9 * bound)) return std::isnan(rough) ? ScaledReal::infinity() : rough;
  mpfr_fmma(a_.get(), z_.re.get(), z_.re.get(), z_.im.get(), z_.im.get(), MPFR_RNDN);
  mpfr_sub_d(a_.get(), a_.get(), bound, MPFR_RNDN);
  return a_.scaled();
}

}  // namespace tessera::deep
