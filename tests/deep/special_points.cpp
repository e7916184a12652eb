#include "special_points.hpp"

#include <cmath>
#include <complex>

#include "deep/big_orbit.hpp"

namespace tessera::deep {
namespace {

using Complex = std::complex<double>;

constexpr int kNewtonSteps = 60;
constexpr int kMaxPeriod = 9;
constexpr int kMaxPreperiod = 6;
constexpr double kBitsOfDigit = 3.33;
constexpr std::int64_t kSpareBits = 200;

/// z_(preperiod + period) = z_preperiod; without a preperiod, z_period = 0.
struct Condition {
  int preperiod = 0, period = 1;
};

/// How z changes with the point: to the right, and upwards.
struct Jacobian {
  Complex right, up;
};

Complex rounded(const BigComplex& z) {
  return {mpfr_get_d(z.re.get(), MPFR_RNDN), mpfr_get_d(z.im.get(), MPFR_RNDN)};
}

Complex folded(const Formula& formula, const Complex& z, const Complex& a) {
  if (formula.fold() == kernels::TS_FOLD_CONJUGATE) return std::conj(a);
  if (formula.fold() == kernels::TS_FOLD_NONE) return a;
  return {z.real() < 0 ? -a.real() : a.real(), z.imag() < 0 ? -a.imag() : a.imag()};
}

Jacobian followed(const Formula& formula, const Complex& z, const Jacobian& before) {
  const Complex slope =
      static_cast<double>(formula.degree) * std::pow(folded(formula, z, z), formula.degree - 1);
  const double own = formula.has_constant() ? 0 : 1;
  return {slope * folded(formula, z, before.right) + own,
          slope * folded(formula, z, before.up) + Complex(0, own)};
}

/// The step of Newton's method from `point`, and what it should make 0.
struct Newton {
  Complex miss, step;
};

Newton newton_step(const Formula& formula, const Condition& condition, const BigComplex& point) {
  const std::int64_t bits = point.re.bits();
  const BigComplex zero{BigReal(bits), BigReal(bits)};
  const bool moves_z = formula.has_constant();
  const BigComplex c =
      moves_z ? BigComplex{BigReal(formula.constant_re, bits), BigReal(formula.constant_im, bits)}
              : point;
  BigOrbit z(c, moves_z ? point : zero, {formula.fold(), formula.degree});
  Jacobian at = moves_z ? Jacobian{1, Complex(0, 1)} : Jacobian{};
  BigComplex target = zero;
  Jacobian target_at{};
  for (int n = 0; n < condition.preperiod + condition.period; ++n) {
    if (condition.preperiod > 0 && n == condition.preperiod) {
      target = z.z();
      target_at = at;
    }
    at = followed(formula, rounded(z.z()), at);
    z.step();
  }
  BigComplex miss = z.z();
  mpfr_sub(miss.re.get(), miss.re.get(), target.re.get(), MPFR_RNDN);
  mpfr_sub(miss.im.get(), miss.im.get(), target.im.get(), MPFR_RNDN);
  const Complex f = rounded(miss);
  const Complex u = at.right - target_at.right;
  const Complex v = at.up - target_at.up;
  const double determinant = u.real() * v.imag() - u.imag() * v.real();
  return {f, Complex(f.imag() * v.real() - f.real() * v.imag(),
                     f.real() * u.imag() - f.imag() * u.real()) /
                 determinant};
}

std::string decimal(const BigReal& value, int digits) {
  char* text = nullptr;
  mpfr_asprintf(&text, "%.*Rf", digits, value.get());
  std::string copy(text);
  mpfr_free_str(text);
  return copy;
}

}  // namespace

std::optional<SpecialPoint> find_special_point(std::mt19937_64& random, const Formula& formula,
                                               int digits) {
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  const bool is_nucleus = below(3) == 0;
  const Condition condition{is_nucleus ? 0 : 1 + below(kMaxPreperiod),
                            is_nucleus ? 2 + below(kMaxPeriod) : 1 + below(3)};
  const auto bits = static_cast<std::int64_t>(digits * kBitsOfDigit) + kSpareBits;
  BigComplex point{BigReal(bits), BigReal(bits)};
  std::uniform_real_distribution<double> anywhere(-1.7, 1.1);
  mpfr_set_d(point.re.get(), anywhere(random), MPFR_RNDN);
  if (below(4) > 0) mpfr_set_d(point.im.get(), anywhere(random), MPFR_RNDN);
  const double enough = std::pow(10, -digits - 3);
  for (int i = 0; i < kNewtonSteps; ++i) {
    const Newton newton = newton_step(formula, condition, point);
    if (!std::isfinite(std::abs(newton.step)) || std::abs(rounded(point)) > 3) return std::nullopt;
    mpfr_add_d(point.re.get(), point.re.get(), newton.step.real(), MPFR_RNDN);
    mpfr_add_d(point.im.get(), point.im.get(), newton.step.imag(), MPFR_RNDN);
    if (std::abs(newton.miss) > enough) continue;
    return SpecialPoint{
        decimal(point.re, digits), decimal(point.im, digits),
        std::to_string(condition.preperiod) + " + " + std::to_string(condition.period)};
  }
  return std::nullopt;
}

}  // namespace tessera::deep
