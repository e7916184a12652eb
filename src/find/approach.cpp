#include "find/approach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "find/big_linear.hpp"
#include "find/periods.hpp"

namespace tessera::find {
namespace {

constexpr int kMostSteps = 40;
/// Beyond those that a step gains.
constexpr std::int64_t kGuardBits = 32;
/// Of a derivative in f64, less those of a period.
constexpr double kBitsOfF64 = 46;
/// Bits that a step is given at least.
constexpr double kLeastGain = 24;

std::int64_t whole(double bits) {
  return static_cast<std::int64_t>(std::ceil(bits));
}

/// Of a step to an error of 2^-bits.
std::int64_t bits_for(double bits, std::int64_t period) {
  return std::max<std::int64_t>(whole(bits) + bits_of(period), 0) + kGuardBits;
}

/// One pass over the orbit of c.
class Pass {
 public:
  Pass(const BigComplex& c, std::int64_t period, const Power& power, double gain)
      : pass_(c, power), derivatives_(power) {
    if (gain + static_cast<double>(bits_of(period)) > kBitsOfF64)
      big_.emplace(bits_for(gain, period));
    ScaledReal least = ScaledReal::infinity();
    while (pass_.n() < period) {
      if (pass_.n() > 0) least = kernels::least(least, magnitude(pass_.leading()));
      derivatives_.step(pass_.leading());
      if (big_) big_->step(pass_.z(), power, slope_at(pass_.leading(), power).conjugates);
      pass_.step();
    }
    sighting_ = sighting_of(period, pass_.leading(), derivatives_, least);
  }
  const Sighting& sighting() const { return sighting_; }
  void improve(BigComplex& c) {
    if (big_) return subtract(c, big_->solved(pass_.z()));
    subtract(c, sighting_.step);
  }

 private:
  OrbitPass pass_;
  Derivatives derivatives_;
  std::optional<BigLinear> big_;
  Sighting sighting_;
};

bool is_number(const Complex& step) {
  return std::isfinite(step.re) && std::isfinite(step.im);
}

/// log2 of the error that a step leaves: its square over the domain, or what its bits allow.
double after(const Sighting& sighting, double bits) {
  const ScaledReal size = magnitude(sighting.step);
  if (size.is_zero()) return -std::numeric_limits<double>::infinity();
  const double log2_step = log2_of(size);
  return std::max(2 * log2_step - log2_of(sighting.domain), log2_step - bits);
}

}  // namespace

Sighting sighted(const BigComplex& c, std::int64_t period, const Power& power) {
  return Pass(c, period, power, 0).sighting();
}

std::optional<Approached> approach(const BigComplex& c, const Sighting& first, const Power& power,
                                   const Aim& aim) {
  const std::int64_t period = first.period;
  const auto bits_of_period = static_cast<double>(bits_of(period));
  Approached at{c, 0, first};
  if (!is_number(first.step)) return std::nullopt;
  const double bits_of_c = static_cast<double>(c.re.bits() - kGuardBits) - bits_of_period;
  at.log2_error = std::max(after(first, kBitsOfF64 - bits_of_period), -bits_of_c);
  subtract(at.c, first.step);
  for (int step = 0; step < kMostSteps; ++step) {
    if (aim.reach < magnitude(leading(difference(at.c, c)))) return std::nullopt;
    if (!at.last.size.is_zero() && !at.last.size.is_infinite() &&
        at.log2_error < aim.log2_error(log2_of(at.last.size)) && step > 0) {
      return at;
    }
    const double log2_domain = std::min(log2_of(at.last.domain), 0.0);
    const double goal = at.last.size.is_zero() ? log2_domain - kLeastGain
                                               : aim.log2_error(log2_of(at.last.size)) - 4;
    const double next = std::max(2 * at.log2_error - log2_domain, goal);
    const double gain = std::max(at.log2_error - next, kLeastGain);
    at.c = with_bits(at.c, bits_for(gain - at.log2_error, period));
    Pass pass(at.c, period, power, gain);
    at.last = pass.sighting();
    if (!is_number(at.last.step)) return std::nullopt;
    pass.improve(at.c);
    at.log2_error = std::max(after(at.last, gain), at.log2_error - gain - 2);
  }
  return std::nullopt;
}

}  // namespace tessera::find
