#include "statistics/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace tessera::statistics {

namespace {

using job::Operation;
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

/// The answers about one array.
class Answers {
 public:
  Answers(const Partial& all, base::ElementType type, const job::ReduceJob& job)
      : all_(all),
        floating_(base::is_floating(type)),
        signed_(type <= base::ElementType::i64),
        skip_(job.nan == job::NanPolicy::skip),
        ddof_(static_cast<std::uint64_t>(job.ddof)),
        count_(static_cast<std::uint64_t>(all.elements - (skip_ ? all.nans : 0))) {}

  Value sum() const {
    return floating_ ? of_real(all_.sum.rounded()) : of_integer(all_.integers.sum);
  }
  Value norm1() const {
    return floating_ ? of_real(all_.absolute.rounded()) : of_integer(all_.integers.absolute);
  }
  double product() const { return spoilt() ? kNan : all_.product.rounded(); }
  double mean() const { return real_sum().divided_by(count_); }
  double variance() const { return kernels::variance(real_sum(), squares(), count_, ddof_); }
  double deviation() const {
    return kernels::standard_deviation(real_sum(), squares(), count_, ddof_);
  }
  double norm2() const { return kernels::square_root(squares()); }

  Value extreme(OrderKey key) const {
    if (floating_) return of_real(no_order() ? kNan : real_of(key));
    return signed_ ? of_integer(signed_of(key)) : of_integer(key);
  }
  Value norminf() const {
    if (floating_) {
      if (spoilt()) return of_real(kNan);
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
  /// -1 where everything was skipped.
  Value place(const ExtremeIndex& place) const {
    if (spoilt()) return of_integer(all_.first_nan);
    return of_integer(count_ == 0 ? -1 : place.index);
  }
  Value any() const { return of_boolean(all_.nonzero > 0); }
  Value all() const { return of_boolean(static_cast<std::uint64_t>(all_.nonzero) == count_); }

 private:
  bool spoilt() const { return !skip_ && all_.nans > 0; }
  bool no_order() const { return spoilt() || count_ == 0; }

  Superaccumulator real_sum() const {
    Superaccumulator sum = all_.sum;
    if (!floating_) sum.add_integer(all_.integers.sum);
    return sum;
  }
  SquareAccumulator squares() const {
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

  const Partial& all_;
  bool floating_;
  bool signed_;
  bool skip_;
  std::uint64_t ddof_;
  std::uint64_t count_;  ///< of the elements that count
};

}  // namespace

ReductionSpec spec_of(base::ElementType type, std::span<const Operation> operations,
                      job::NanPolicy nan) {
  const auto wants = [&](std::initializer_list<Operation> any_of) {
    return std::ranges::find_first_of(operations, any_of) != operations.end();
  };
  using enum Operation;
  return {.type = type,
          .sum = wants({sum, mean, var, std}),
          .absolute = wants({norm1}),
          .product = wants({prod}),
          .squares = wants({var, std, norm2}),
          .extremes = wants({min, max, minmax, norminf}),
          .places = wants({argmin, argmax}),
          .nonzero = wants({count_nonzero, any, all}),
          .skip_nan = nan == job::NanPolicy::skip,
          .products = wants({dot})};
}

void check_answers_of_nothing(std::span<const Operation> operations) {
  using enum Operation;
  for (const Operation operation : {min, max, argmin, argmax, minmax}) {
    if (std::ranges::find(operations, operation) == operations.end()) continue;
    throw base::usage_error("--op {}: the array is empty", job::operation_name(operation));
  }
}

std::pair<double, double> range_of(const Partial& all, base::ElementType type) {
  const auto real = [&](OrderKey key) {
    if (base::is_floating(type)) return real_of(key);
    if (type <= base::ElementType::i64) return static_cast<double>(signed_of(key));
    return static_cast<double>(key);
  };
  return {real(all.least), real(all.greatest)};
}

Value dot_product(const Partial& all, const ReductionSpec& spec) {
  if (base::is_floating(spec.type) || base::is_floating(spec.with_type)) {
    return of_real(all.pairs.reals.rounded());
  }
  return {kernels::decimal(all.pairs.integers.high, all.pairs.integers.low), {}};
}

std::vector<Value> answer(Operation operation, const Partial& all, base::ElementType type,
                          const job::ReduceJob& job) {
  const Answers answers(all, type, job);
  switch (operation) {
    case Operation::sum:
      return {answers.sum()};
    case Operation::prod:
      return {of_real(answers.product())};
    case Operation::mean:
      return {of_real(answers.mean())};
    case Operation::var:
      return {of_real(answers.variance())};
    case Operation::std:
      return {of_real(answers.deviation())};
    case Operation::min:
      return {answers.extreme(all.least)};
    case Operation::max:
      return {answers.extreme(all.greatest)};
    case Operation::argmin:
      return {answers.place(all.at_least)};
    case Operation::argmax:
      return {answers.place(all.at_greatest)};
    case Operation::minmax:
      return {answers.extreme(all.least), answers.extreme(all.greatest)};
    case Operation::norm1:
      return {answers.norm1()};
    case Operation::norm2:
      return {of_real(answers.norm2())};
    case Operation::norminf:
      return {answers.norminf()};
    case Operation::count_nonzero:
      return {of_integer(all.nonzero)};
    case Operation::any:
      return {answers.any()};
    case Operation::all:
      return {answers.all()};
    case Operation::dot:
    case Operation::histogram:
      break;  // not of a partial result
  }
  return {};
}

}  // namespace tessera::statistics
