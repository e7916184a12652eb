// Functions against MPFR with 200 bits, and the special values that C demands.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cstdio>

#include "tests/kernels/function_arguments.hpp"

namespace tessera::kernels::functions {
namespace {

using One = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Two = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

struct True {
  One one = nullptr;
  Two two = nullptr;
};

True truth_of(Function function) {
  switch (function) {
#define TS_ONE(name, Name) \
  case Function::name:     \
    return {.one = mpfr_##name};
#define TS_TWO(name, Name) \
  case Function::name:     \
    return {.two = mpfr_##name};
    TS_FUNCTIONS(TS_ONE, TS_TWO)
#undef TS_ONE
#undef TS_TWO
  }
  return {};
}

/// A number of 200 bits.
class Number {
 public:
  Number() { mpfr_init2(number_, 200); }
  ~Number() { mpfr_clear(number_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return number_; }

 private:
  mpfr_t number_;
};

class Truth {
 public:
  explicit Truth(Function function) : truth_(truth_of(function)) {}

  /// The true value, rounded to f64.
  double operator()(double x, double y) {
    mpfr_set_d(x_.get(), x, MPFR_RNDN);
    mpfr_set_d(y_.get(), y, MPFR_RNDN);
    if (truth_.one != nullptr) truth_.one(value_.get(), x_.get(), MPFR_RNDN);
    if (truth_.two != nullptr) truth_.two(value_.get(), x_.get(), y_.get(), MPFR_RNDN);
    return mpfr_get_d(value_.get(), MPFR_RNDN);
  }
  /// The distance from the last true value, in 2^exponent.
  double error(double value, int exponent) {
    mpfr_set_d(x_.get(), value, MPFR_RNDN);
    mpfr_sub(x_.get(), x_.get(), value_.get(), MPFR_RNDN);
    mpfr_mul_2si(x_.get(), x_.get(), -exponent, MPFR_RNDN);
    return std::fabs(mpfr_get_d(x_.get(), MPFR_RNDN));
  }

 private:
  True truth_;
  Number x_, y_, value_;
};

/// Exponent of the unit in the last place of a finite number.
int unit_of(double value) {
  return std::max(std::ilogb(value), -1022) - 52;
}
int unit_of(float value) {
  return std::max(std::ilogb(value), -126) - 23;
}

template <class T>
bool same_special(T value, T truth) {
  if (std::isnan(truth)) return std::isnan(value) && !std::signbit(value);
  return value == truth && std::signbit(value) == std::signbit(truth);
}

struct Worst {
  double error = 0, x = 0, y = 0;
};

/// The largest error in units in the last place; values that are not finite and not 0 must be
/// equal.
template <class T>
Worst worst_error(Function function, const Arguments& arguments) {
  Truth truth(function);
  Worst worst;
  for (std::size_t i = 0; i < arguments.x.size(); ++i) {
    const T x = static_cast<T>(arguments.x[i]);
    const T y = static_cast<T>(arguments.y[i]);
    const T value = call(function, x, y);
    const T nearest = static_cast<T>(truth(x, y));
    if (!std::isfinite(nearest) || !std::isfinite(value)) {
      EXPECT_TRUE(same_special(value, nearest)) << std::hexfloat << x << ", " << y << ": " << value;
      continue;
    }
    const double error = truth.error(value, unit_of(nearest));
    if (error > worst.error) worst = {error, x, y};
  }
  return worst;
}

class Functions : public testing::TestWithParam<FunctionRow> {
 protected:
  template <class T>
  void expect_accuracy(double limit, std::size_t count, unsigned seed) const {
    const auto arguments = random_arguments(GetParam().function, count, seed);
    const Worst worst = worst_error<T>(GetParam().function, arguments);
    EXPECT_LE(worst.error, limit) << std::hexfloat << worst.x << ", " << worst.y;
    RecordProperty("error", std::to_string(worst.error));
    if (times() > 1)
      std::printf("%s %zu: %.5f at %a, %a\n", GetParam().name.data(), count, worst.error, worst.x,
                  worst.y);
  }
};

TEST_P(Functions, are_within_052_units_in_the_last_place) {
  for (int i = 0; i < times(); ++i)
    expect_accuracy<double>(0.52, 100'000, static_cast<unsigned>(i));
}

TEST_P(Functions, of_f32_are_within_0501_units) {
  for (int i = 0; i < times(); ++i) expect_accuracy<float>(0.501, 20'000, static_cast<unsigned>(i));
}

/// MPFR has C's special values; C differs in the arguments that are NaN.
TEST_P(Functions, have_the_special_values_of_c) {
  Truth truth(GetParam().function);
  const Arguments pairs = special_pairs();
  for (std::size_t i = 0; i < pairs.x.size(); ++i) {
    const double value = call(GetParam().function, pairs.x[i], pairs.y[i]);
    const double nearest = truth(pairs.x[i], pairs.y[i]);
    if (std::isfinite(nearest) && nearest != 0 && std::isfinite(value)) {
      EXPECT_LE(truth.error(value, unit_of(nearest)), 0.52) << pairs.x[i] << ", " << pairs.y[i];
    } else {
      EXPECT_TRUE(same_special(value, nearest))
          << pairs.x[i] << ", " << pairs.y[i] << ": " << value << " instead of " << nearest;
    }
  }
}

TEST_P(Functions, return_one_pattern_of_bits_for_nan) {
  const double nan = -std::numeric_limits<double>::quiet_NaN();
  const double value = call(GetParam().function, nan, nan);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(value), 0x7FF8000000000000);
}

struct HardArgument {
  Function function;
  double x, y = 0;
};

/// Those with the largest errors of 10^6 of each function, and angles that are nearly quarter
/// turns.
constexpr HardArgument kHard[] = {
    {Function::exp, 0x1.62d165411fe9bp+9},
    {Function::exp, -0x1.c45d16974f258p+6},
    {Function::exp2, -0x1.d04dafaff80fp+7},
    {Function::log, 0x1.076f6cdbb6a49p+0},
    {Function::log, 0x1.05ebd65bf1ee6p+0},
    {Function::log2, 0x1.072dd9b285556p+0},
    {Function::log10, 0x1.05802c00aed7p+0},
    {Function::log1p, 0x1.6e0bb1a4b11dep-6},
    {Function::log1p, 0x1.88ae9fdce8b6p-6},
    {Function::sin, -0x1.25b08492e1b33p+8},
    {Function::sin, 0x1.6ac5b262ca1ffp+849},
    {Function::cos, 0x1.968c28bddbd94p+1015},
    {Function::cos, 0x1.6ac5b262ca1ffp+849},
    {Function::tan, -0x1.e6cab2d409716p+1004},
    {Function::tan, 0x1.6ac5b262ca1ffp+849},
    {Function::tan, 0x1.921fb54442d18p+0},
    {Function::cosh, 0x1.4a78434acd8ap+1},
    {Function::asin, -0x1.dcd06a59702bbp-7},
    {Function::atan2, 0x1.5a780f28cc0e6p+0, 0x1.5a6ec75c27fadp+0},
    {Function::pow, 0x1.0efcebd3174bdp-30, -0x1.71d96f6e54dbp+0},
    {Function::pow, 0x1.000a1823dcc33p+0, -0x1.1b31d3a27e8dcp+7},
};

TEST(HardArguments, have_errors_below_051_units) {
  for (const auto& [function, x, y] : kHard) {
    const Worst worst = worst_error<double>(function, {{x}, {y}});
    EXPECT_LT(worst.error, 0.51) << kFunctions[static_cast<std::size_t>(function)].name << " of "
                                 << std::hexfloat << x << ", " << y;
  }
}

std::string name_of(const testing::TestParamInfo<FunctionRow>& info) {
  return std::string(info.param.name);
}
INSTANTIATE_TEST_SUITE_P(All, Functions, testing::ValuesIn(kFunctions), name_of);

}  // namespace
}  // namespace tessera::kernels::functions
