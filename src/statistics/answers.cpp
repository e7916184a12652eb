#include "statistics/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::statistics {

namespace {

using kernels::Int128;
using kernels::SquareAccumulator;
using kernels::Superaccumulator;
using kernels::UnsignedInt128;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Value of_real(double x) {
  return {fmt::format("{}", x), x};
}

Value of_boolean(bool truth) {
  return {truth ? "true" : "false", {}};
}

template <class Integer>
Value of_integer(Integer x) {
  return {fmt::format("{}", x), {}};
}

}  // namespace

Answers::Answers(const Partial& all, const ReductionSpec& spec, std::int64_t ddof)
    : all_(all),
      floating_(base::is_floating(spec.type)),
      signed_(spec.type <= base::ElementType::i64),
      real_products_(floating_ || base::is_floating(spec.with_type)),
      skip_(spec.skip_nan),
      ddof_(static_cast<std::uint64_t>(ddof)),
      count_(static_cast<std::uint64_t>(all.elements - (skip_ ? all.nans : 0))) {}

Value Answers::sum() const {
  return floating_ ? of_real(all_.sum.rounded()) : of_integer(all_.integers.sum);
}

Value Answers::norm1() const {
  return floating_ ? of_real(all_.absolute.rounded()) : of_integer(all_.integers.absolute);
}

Value Answers::product() const {
  return of_real(has_nan_result() ? kNan : all_.product.rounded());
}

Value Answers::mean() const {
  return of_real(real_sum().divided_by(count_));
}

Value Answers::variance() const {
  return of_real(kernels::variance(real_sum(), squares(), count_, ddof_));
}

Value Answers::deviation() const {
  return of_real(kernels::standard_deviation(real_sum(), squares(), count_, ddof_));
}

Value Answers::norm2() const {
  return of_real(kernels::square_root(squares()));
}

Value Answers::extreme(OrderKey key) const {
  if (floating_) return of_real(no_order() ? kNan : real_of(key));
  if (count_ == 0 && all_.missing.total() > 0) return of_real(kNan);
  if (count_ == 0) return of_integer(0);  // a group without elements
  return signed_ ? of_integer(signed_of(key)) : of_integer(key);
}

Value Answers::norminf() const {
  if (floating_) {
    if (has_nan_result()) return of_real(kNan);
    if (count_ == 0) return of_real(0);
    return of_real(std::max(std::abs(real_of(all_.least)), std::abs(real_of(all_.greatest))));
  }
  if (count_ == 0) return of_integer(0);
  if (!signed_) return of_integer(all_.greatest);
  const auto magnitude = [](std::int64_t x) {
    return x < 0 ? ~static_cast<std::uint64_t>(x) + 1 : static_cast<std::uint64_t>(x);
  };
  return of_integer(
      std::max(magnitude(signed_of(all_.least)), magnitude(signed_of(all_.greatest))));
}

Value Answers::index(const ExtremeIndex& place) const {
  if (has_nan_result()) return of_integer(all_.first_nan);
  return of_integer(count_ == 0 ? -1 : place.index);
}

Value Answers::count() const {
  return of_integer(all_.elements - all_.nans);
}

Value Answers::count_nonzero() const {
  return of_integer(all_.nonzero);
}

Value Answers::any() const {
  return of_boolean(all_.nonzero > 0);
}

Value Answers::all() const {
  return of_boolean(static_cast<std::uint64_t>(all_.nonzero) == count_);
}

Value Answers::dot() const {
  if (real_products_) return of_real(all_.pairs.reals.rounded());
  return {kernels::decimal(all_.pairs.integers.high, all_.pairs.integers.low), {}};
}

Value Answers::of_moments(double (*formula)(const kernels::CentralMoments&)) const {
  const bool finite = all_.positive_infinities == 0 && all_.negative_infinities == 0;
  if (has_nan_result() || !finite || count_ == 0) return of_real(kNan);
  using kernels::LongNumber;
  return of_real(formula({count_,
                          {LongNumber::of(real_sum()), LongNumber::of(squares()),
                           LongNumber::of(all_.cubes), LongNumber::of(all_.fourths)}}));
}

Superaccumulator Answers::real_sum() const {
  Superaccumulator sum = all_.sum;
  if (!floating_) sum.add_integer(all_.integers.sum);
  return sum;
}

SquareAccumulator Answers::squares() const {
  SquareAccumulator squares = all_.squares;
  if (!floating_) {
    squares.add_integer(static_cast<Int128>(all_.integers.squares_low));
    for (int shift = 0; shift < 128; shift += 32) {
      const auto part = static_cast<std::uint32_t>(all_.integers.squares_high >> shift);
      squares.add_scaled(part, 64 + shift);
    }
  }
  return squares;
}

std::pair<double, double> range_of(const Partial& all, base::ElementType type) {
  const auto real = [&](OrderKey key) {
    if (base::is_floating(type)) return real_of(key);
    if (type <= base::ElementType::i64) return static_cast<double>(signed_of(key));
    return static_cast<double>(key);
  };
  return {real(all.least), real(all.greatest)};
}

}  // namespace tessera::statistics
