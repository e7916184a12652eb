#include "statistics/pair_answers.hpp"

#include <fmt/format.h>

#include <limits>

#include "statistics/order/order_passes.hpp"

namespace tessera::statistics {
namespace {

using job::Operation;
using kernels::LongNumber;

constexpr double kNoAnswer = std::numeric_limits<double>::quiet_NaN();

LongNumber negated(const LongNumber& x) {
  return {-x.mantissa(), x.exponent()};
}

/// x / divisor; NaN for a divisor of 0.
double quotient(const LongNumber& x, const LongNumber& divisor) {
  if (divisor.is_zero()) return kNoAnswer;
  if (divisor.mantissa() < 0) return kernels::rounded_quotient(negated(x), negated(divisor));
  return kernels::rounded_quotient(x, divisor);
}

double root_of_quotient(const LongNumber& x, const LongNumber& divisor) {
  if (divisor.is_zero() || x.mantissa() < 0) return kNoAnswer;
  return kernels::rounded_root_of_quotient(x, divisor);
}

/// What the sums say where all numbers are finite.
class PairSumsAnswers {
 public:
  PairSumsAnswers(const Partial& all, std::int64_t count, std::int64_t ddof)
      : all_(all), count_(static_cast<std::uint64_t>(count)), ddof_(ddof) {}

  double answer(Operation operation) const {
    switch (operation) {
      case Operation::mean:
        return quotient(LongNumber::of(all_.squares), weights());
      case Operation::var:
        return quotient(scaled_variance(), weights() * weights());
      case Operation::std:
        return root_of_quotient(scaled_variance(), weights() * weights());
      case Operation::cov:
        return covariance();
      case Operation::corr:
        return correlation();
      default:
        return all_.squares.rounded();  // sum, dot
    }
  }

 private:
  LongNumber weights() const { return LongNumber::of(all_.sum); }
  /// The variance times the square of the sum of weights.
  LongNumber scaled_variance() const {
    const LongNumber products = LongNumber::of(all_.squares);
    return LongNumber::of(all_.cubes) * weights() - products * products;
  }
  /// n^2 times the covariance of two of the columns.
  LongNumber scaled_covariance(const LongNumber& products, const LongNumber& x,
                               const LongNumber& y) const {
    return products * count_ - x * y;
  }
  LongNumber scaled_covariance() const {
    return scaled_covariance(LongNumber::of(all_.squares), LongNumber::of(all_.sum),
                             LongNumber::of(all_.absolute));
  }
  double covariance() const {
    const auto n = static_cast<std::int64_t>(count_);
    if (n <= ddof_) return kNoAnswer;
    const LongNumber freedom(LongNumber::Integer(n - ddof_), 0);
    return quotient(scaled_covariance(), freedom * count_);
  }
  double correlation() const {
    const LongNumber x = LongNumber::of(all_.sum), y = LongNumber::of(all_.absolute);
    const LongNumber of_x = scaled_covariance(LongNumber::of(all_.cubes), x, x);
    const LongNumber of_y = scaled_covariance(LongNumber::of(all_.fourths), y, y);
    if (of_x.is_zero() || of_y.is_zero()) return kNoAnswer;
    const LongNumber both = scaled_covariance();
    const double root = root_of_quotient(both * both, of_x * of_y);
    return both.mantissa() < 0 ? -root : root;
  }

  const Partial& all_;
  std::uint64_t count_;
  std::int64_t ddof_;
};

/// Of sums and means, whose infinities are those of the products.
double special(Operation operation, const Partial& all) {
  const bool is_linear =
      operation == Operation::sum || operation == Operation::mean || operation == Operation::dot;
  if (!is_linear || (all.positive_infinities > 0 && all.negative_infinities > 0)) return kNoAnswer;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double infinity = all.positive_infinities > 0 ? kInfinity : -kInfinity;
  if (operation != Operation::mean) return infinity;
  const LongNumber weights = LongNumber::of(all.sum);
  if (weights.is_zero()) return kNoAnswer;
  return weights.mantissa() < 0 ? -infinity : infinity;
}

}  // namespace

ReductionSpec pair_spec(const job::ReduceJob& job) {
  ReductionSpec spec{.type = base::ElementType::f64,
                     .skip_nan = job.nan == job::NanPolicy::skip,
                     .pairing = job::pairing_of(job)};
  const bool weighted = spec.pairing == job::Pairing::weighted;
  for (const Operation operation : job.operations) {
    if (operation == Operation::count || is_order_statistic(operation)) continue;
    const bool is_sum = operation == Operation::sum || operation == Operation::dot;
    const bool is_mean = operation == Operation::mean;
    spec.squares = true;
    spec.sum |= !is_sum;
    spec.absolute |= !weighted && !is_sum;
    spec.cubes |= weighted ? !is_sum && !is_mean : operation == Operation::corr;
    spec.fourths |= operation == Operation::corr;
  }
  return spec;
}

Value pair_answer(Operation operation, const Partial& all, const ReductionSpec& spec,
                  std::int64_t ddof) {
  if (operation == Operation::count) return {fmt::format("{}", all.elements - all.nans), {}};
  double value = kNoAnswer;
  if (all.nans == 0 || spec.skip_nan) {
    const bool is_finite = all.positive_infinities == 0 && all.negative_infinities == 0;
    const std::int64_t count = all.elements - all.nans;
    value =
        is_finite ? PairSumsAnswers(all, count, ddof).answer(operation) : special(operation, all);
  }
  return {fmt::format("{}", value), value};
}

}  // namespace tessera::statistics
