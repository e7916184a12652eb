#include "statistics/order/order_answers.hpp"

#include <fmt/format.h>

#include <limits>

#include "statistics/order/quantile_place.hpp"
#include "statistics/order/weighted_passes.hpp"

namespace tessera::statistics {

namespace {

Value order_real(double x) {
  return {fmt::format("{}", x), x};
}

struct OrderAnswers {
  const job::ReduceJob& job;
  base::ElementType type;
  const Partial& all;
  const OrderFindings& findings;

  std::int64_t counted() const { return all.elements - all.nans; }
  bool no_order() const {
    return counted() == 0 || (all.nans > 0 && job.nan == job::NanPolicy::propagate);
  }
  static Value nan() { return order_real(std::numeric_limits<double>::quiet_NaN()); }

  Value median() const {
    if (no_order()) return nan();
    return order_real(mean_of_two(findings.by_rank.at((counted() - 1) / 2),
                                  findings.by_rank.at(counted() / 2), type));
  }

  Value quantile(double q) const {
    if (no_order()) return nan();
    const QuantilePlace place = quantile_place(job.quantile_method, q, counted());
    const ElementKey below = findings.by_rank.at(place.lower);
    if (picks_elements(job.quantile_method)) return value_of_key(below, type);
    return order_real(interpolated(below, findings.by_rank.at(place.upper), place.weight, type));
  }

  std::vector<Value> quantiles() const {
    std::vector<Value> values;
    for (const double q : job.quantiles) values.push_back(quantile(q));
    return values;
  }

  Value top_value(const TopElement& element) const {
    return element.order == TopElement::kNan && base::is_floating(type)
               ? nan()
               : value_of_key(element.key, type);
  }

  std::vector<Value> top(std::int64_t most, bool indices) const {
    std::vector<Value> values;
    for (const TopElement& element : findings.top) {
      if (static_cast<std::int64_t>(values.size()) == most) break;
      values.push_back(indices ? Value{fmt::format("{}", element.index), {}} : top_value(element));
    }
    return values;
  }
};

}  // namespace

std::vector<Value> order_answer(job::Operation operation, const job::ReduceJob& job,
                                base::ElementType type, const Partial& all,
                                const OrderFindings& findings) {
  if (job.weights && is_order_statistic(operation)) {
    return weighted_answer(operation, job, findings.weighted);
  }
  const OrderAnswers answers{job, type, all, findings};
  switch (operation) {
    case job::Operation::median:
      return {answers.median()};
    case job::Operation::quantile:
      return answers.quantiles();
    case job::Operation::mode:
      if (answers.counted() == 0 && all.missing.total() > 0) return {OrderAnswers::nan()};
      return {value_of_key(findings.mode, type)};
    case job::Operation::nunique:
      return {{fmt::format("{}", findings.distinct), {}}};
    case job::Operation::topk:
      return answers.top(job.topk, false);
    case job::Operation::argtopk:
      return answers.top(job.argtopk, true);
    default:
      return {};
  }
}

}  // namespace tessera::statistics
