#include "minibrots.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace tessera::deep {

using kernels::ScaledComplex;
using kernels::ScaledReal;

namespace {

using Complex = ScaledComplex<double>;

constexpr std::int64_t kSpareBits = 96;
/// For each decimal place of the depth.
constexpr std::int64_t kMaxPeriod = 40;
constexpr int kNewtonSteps = 30;
constexpr std::int64_t kMinExponent = -8000;

BigReal with_bits(const BigReal& value, std::int64_t bits) {
  BigReal copy(bits);
  mpfr_set(copy.get(), value.get(), MPFR_RNDN);
  return copy;
}

BigComplex with_bits(const BigComplex& value, std::int64_t bits) {
  return {with_bits(value.re, bits), with_bits(value.im, bits)};
}

Complex scaled(const BigComplex& z) {
  const ScaledReal x = z.re.scaled();
  const ScaledReal y = z.im.scaled();
  const std::int64_t e = std::max(x.e, y.e);
  return kernels::ts_normalized(kernels::ts_part_value(x.m, x.e - e),
                                kernels::ts_part_value(y.m, y.e - e), e);
}

void add(BigReal& to, const ScaledReal& value) {
  BigReal addend(to.bits());
  mpfr_set_d(addend.get(), value.m, MPFR_RNDN);
  if (!value.is_zero()) mpfr_mul_2si(addend.get(), addend.get(), value.e, MPFR_RNDN);
  mpfr_add(to.get(), to.get(), addend.get(), MPFR_RNDN);
}

Complex difference(const BigComplex& a, const BigComplex& b) {
  BigComplex d = a;
  mpfr_sub(d.re.get(), a.re.get(), b.re.get(), MPFR_RNDN);
  mpfr_sub(d.im.get(), a.im.get(), b.im.get(), MPFR_RNDN);
  return scaled(d);
}

/// z^2 + c.
void iterate(BigComplex& z, const BigComplex& c, BigReal& a, BigReal& b) {
  mpfr_add(a.get(), z.re.get(), z.im.get(), MPFR_RNDN);
  mpfr_sub(b.get(), z.re.get(), z.im.get(), MPFR_RNDN);
  mpfr_mul(z.im.get(), z.re.get(), z.im.get(), MPFR_RNDN);
  mpfr_mul_2ui(z.im.get(), z.im.get(), 1, MPFR_RNDN);
  mpfr_add(z.im.get(), z.im.get(), c.im.get(), MPFR_RNDN);
  mpfr_mul(z.re.get(), a.get(), b.get(), MPFR_RNDN);
  mpfr_add(z.re.get(), z.re.get(), c.re.get(), MPFR_RNDN);
}

Complex unit() {
  return kernels::ts_normalized(1.0, 0.0, 0);
}

Complex quotient(const Complex& a, const Complex& b) {
  const double size2 = b.re * b.re + b.im * b.im;
  return kernels::ts_normalized((a.re * b.re + a.im * b.im) / size2,
                                (a.im * b.re - a.re * b.im) / size2, a.e - b.e);
}

/// The orbit of 0 after each iteration, as f64 with exponents.
template <class Each>
void follow(const BigComplex& c, std::int64_t iterations, const Each& each) {
  const std::int64_t bits = c.re.bits();
  BigComplex z{BigReal(bits), BigReal(bits)};
  BigReal a(bits);
  BigReal b(bits);
  for (std::int64_t n = 1; n <= iterations; ++n) {
    iterate(z, c, a, b);
    if (!each(n, scaled(z))) return;
  }
}

/// The first n whose disc of z_n around the orbit holds 0; 0 if the disc escapes before.
std::int64_t lowest_period(const BigComplex& c, const ScaledReal& radius, std::int64_t most) {
  std::int64_t period = 0;
  ScaledReal disc;
  ScaledReal size;
  follow(c, most, [&](std::int64_t n, const Complex& z) {
    disc = (size + size + disc) * disc + radius;
    size = magnitude(z);
    if (!(disc < size)) period = n;
    return period == 0 && size < ScaledReal(4) && disc < ScaledReal(1);
  });
  return period;
}

/// z_p / (dz_p / dc), how far the nucleus is.
Complex newton_step(const BigComplex& c, std::int64_t period) {
  Complex derivative{};
  Complex last{};
  follow(c, period, [&](std::int64_t, const Complex& z) {
    derivative = twice(last) * derivative + unit();
    last = z;
    return true;
  });
  return quotient(last, derivative);
}

/// Of the domain where z_p is like z^2 + c: J. Heiland-Allen, "How to find the size of a
/// Mandelbrot set" (2010).
ScaledReal size_of(const BigComplex& nucleus, std::int64_t period) {
  Complex lambda = unit();
  Complex sum = unit();
  follow(nucleus, period - 1, [&](std::int64_t, const Complex& z) {
    lambda = twice(z) * lambda;
    sum = sum + quotient(unit(), lambda);
    return true;
  });
  return magnitude(quotient(unit(), sum * lambda * lambda));
}

ScaledReal power_of_ten(double exponent) {
  const double bits = exponent * std::log2(10);
  return {std::exp2(bits - std::floor(bits)), static_cast<std::int64_t>(std::floor(bits))};
}

double log10_of(const ScaledReal& a) {
  return std::log10(a.m) + static_cast<double>(a.e) * std::log10(2);
}

double between(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution(low, high)(random);
}

/// A point about the boundary of the copy, or in the Julia set around it, where copies are about as
/// small as the square of this one, with periods not much longer.
BigComplex random_neighbour(const Minibrot& at, std::mt19937_64& random) {
  BigComplex c = with_bits(at.nucleus, at.nucleus.re.bits() * 2);
  const double angle = between(random, 0, 2 * std::numbers::pi);
  const ScaledReal distance = power_of_ten(log10_of(at.size) * between(random, 0.65, 1)) *
                              ScaledReal(std::exp2(between(random, -1.5, 2)));
  add(c.re, distance * ScaledReal(std::cos(angle)));
  add(c.im, distance * ScaledReal(std::sin(angle)));
  return c;
}

Minibrot whole_set() {
  return {{BigReal(kSpareBits), BigReal(kSpareBits)}, 1, ScaledReal(1)};
}

/// A smaller copy near this one, at most `deepest` decimal places small.
std::optional<Minibrot> random_step(const Minibrot& at, std::mt19937_64& random, double deepest) {
  const BigComplex start = random_neighbour(at, random);
  const ScaledReal distance = magnitude(difference(start, at.nucleus));
  const ScaledReal radius = distance * ScaledReal(std::exp2(between(random, -3, -0.7)));
  auto next = find_minibrot(start, radius, 1000 + std::llround(deepest) * kMaxPeriod);
  if (next &&
      (next->period <= at.period || !(next->size < at.size) || log10_of(next->size) < -deepest)) {
    return std::nullopt;
  }
  return next;
}

}  // namespace

std::optional<Minibrot> find_minibrot(const BigComplex& start, const ScaledReal& radius,
                                      std::int64_t most) {
  std::int64_t bits = kSpareBits - 2 * radius.e;
  BigComplex c = with_bits(start, bits);
  const std::int64_t period = lowest_period(c, radius, most);
  if (period == 0) return std::nullopt;
  for (int i = 0; i < kNewtonSteps; ++i) {
    const Complex step = newton_step(c, period);
    const ScaledReal size = magnitude(step);
    if (ScaledReal(8) * radius < size) return std::nullopt;
    add(c.re, {-step.re, step.e});
    add(c.im, {-step.im, step.e});
    if (!size.is_zero() && size.e >= kSpareBits / 3 - bits) continue;
    const ScaledReal copy = size_of(c, period);
    // A period that is a multiple of the true one.
    if (!std::isnormal(copy.m) || copy.e < kMinExponent) return std::nullopt;
    if (copy.e > kSpareBits / 2 - bits) return Minibrot{c, period, copy};
    c = with_bits(c, bits = kSpareBits - copy.e);
  }
  return std::nullopt;
}

std::string decimal(const BigReal& value, std::int64_t digits) {
  char* text = nullptr;
  mpfr_asprintf(&text, "%.*Re", static_cast<int>(digits - 1), value.get());
  std::string copy(text);
  mpfr_free_str(text);
  return copy;
}

std::string decimal(const ScaledReal& a) {
  BigReal value(64);
  add(value, a);
  return decimal(value, 5);
}

RandomPlace random_place(std::mt19937_64& random, int least) {
  Minibrot at = whole_set();
  // Half of the places lie between the copy and its parent, where there are spirals.
  const double factor = between(random, 0, 1) < 0.5 ? 1 : between(random, 0.6, 1);
  int failed = 0;
  while (log10_of(at.size) * factor > -least) {
    if (auto next = random_step(at, random, least * 1.5 / factor + 4)) {
      at = *next;
    } else if (++failed > 200) {
      at = whole_set();
      failed = 0;
    }
  }
  const ScaledReal width =
      power_of_ten(log10_of(at.size) * factor) * ScaledReal(std::exp2(between(random, 0, 3)));
  const auto digits = static_cast<std::int64_t>(-log10_of(width)) + 10;
  return {decimal(at.nucleus.re, digits), decimal(at.nucleus.im, digits), decimal(width),
          at.period};
}

}  // namespace tessera::deep
