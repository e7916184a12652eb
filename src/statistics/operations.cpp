#include "statistics/operations.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "statistics/order/order_passes.hpp"
#include "statistics/order/quantile_place.hpp"
#include "statistics/pair_answers.hpp"

namespace tessera::statistics {

namespace {

using base::ElementType;
using job::Operation;
using Spec = ReductionSpec;

constexpr std::array kTraits = std::to_array<OperationTraits>({
    {.operation = Operation::sum,
     .needs = {&Spec::sum},
     .of_nothing = "0",
     .type = ResultType::total,
     .answers = {&Answers::sum}},
    {.operation = Operation::prod,
     .needs = {&Spec::product},
     .of_nothing = "1",
     .answers = {&Answers::product}},
    {.operation = Operation::mean,
     .needs = {&Spec::sum},
     .of_nothing = "NaN",
     .answers = {&Answers::mean}},
    {.operation = Operation::var,
     .needs = {&Spec::sum, &Spec::squares},
     .of_nothing = "NaN",
     .answers = {&Answers::variance}},
    {.operation = Operation::std,
     .needs = {&Spec::sum, &Spec::squares},
     .of_nothing = "NaN",
     .answers = {&Answers::deviation}},
    {.operation = Operation::skewness,
     .needs = {&Spec::sum, &Spec::squares, &Spec::cubes},
     .of_nothing = "NaN",
     .of_moments = kernels::skewness},
    {.operation = Operation::kurtosis,
     .needs = {&Spec::sum, &Spec::squares, &Spec::cubes, &Spec::fourths},
     .of_nothing = "NaN",
     .of_moments = kernels::excess_kurtosis},
    {.operation = Operation::min,
     .needs = {&Spec::extremes},
     .type = ResultType::element,
     .answers = {&Answers::least}},
    {.operation = Operation::max,
     .needs = {&Spec::extremes},
     .type = ResultType::element,
     .answers = {&Answers::greatest}},
    {.operation = Operation::argmin,
     .needs = {&Spec::places},
     .type = ResultType::index,
     .answers = {&Answers::index_of_least}},
    {.operation = Operation::argmax,
     .needs = {&Spec::places},
     .type = ResultType::index,
     .answers = {&Answers::index_of_greatest}},
    {.operation = Operation::minmax,
     .needs = {&Spec::extremes},
     .type = ResultType::element,
     .answers = {&Answers::least, &Answers::greatest}},
    {.operation = Operation::norm1,
     .needs = {&Spec::absolute},
     .of_nothing = "0",
     .type = ResultType::magnitude,
     .answers = {&Answers::norm1}},
    {.operation = Operation::norm2,
     .needs = {&Spec::squares},
     .of_nothing = "0",
     .answers = {&Answers::norm2}},
    {.operation = Operation::norminf,
     .needs = {&Spec::extremes},
     .of_nothing = "0",
     .type = ResultType::magnitude,
     .answers = {&Answers::norminf}},
    {.operation = Operation::count,
     .needs = {&Spec::nonzero},
     .of_nothing = "0",
     .type = ResultType::count,
     .answers = {&Answers::count}},
    {.operation = Operation::count_nonzero,
     .needs = {&Spec::nonzero},
     .of_nothing = "0",
     .type = ResultType::count,
     .answers = {&Answers::count_nonzero}},
    {.operation = Operation::any,
     .needs = {&Spec::nonzero},
     .of_nothing = "false",
     .type = ResultType::boolean,
     .answers = {&Answers::any}},
    {.operation = Operation::all,
     .needs = {&Spec::nonzero},
     .of_nothing = "true",
     .type = ResultType::boolean,
     .answers = {&Answers::all}},
    {.operation = Operation::dot,
     .needs = {&Spec::products},
     .of_nothing = "0",
     .answers = {&Answers::dot}},
    {.operation = Operation::cov, .of_nothing = "NaN"},
    {.operation = Operation::corr, .of_nothing = "NaN"},
    {.operation = Operation::histogram,
     .first_pass = &Spec::extremes,
     .of_nothing = "0",
     .type = ResultType::bins},
    {.operation = Operation::median, .of_nothing = "NaN"},
    {.operation = Operation::quantile, .of_nothing = "NaN each", .type = ResultType::quantile},
    {.operation = Operation::mode, .type = ResultType::element},
    {.operation = Operation::nunique, .of_nothing = "0", .type = ResultType::count},
    {.operation = Operation::topk, .of_nothing = "none", .type = ResultType::top},
    {.operation = Operation::argtopk, .of_nothing = "none", .type = ResultType::top_index},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (kTraits[i].operation != static_cast<Operation>(i)) return false;
  }
  return true;
}
static_assert(in_order());

ElementType element_type(ResultType result, ElementType type) {
  const bool floating = base::is_floating(type);
  const bool is_signed = type <= ElementType::i64;
  switch (result) {
    case ResultType::real:
    case ResultType::quantile:
      return ElementType::f64;
    case ResultType::total:
      return floating ? ElementType::f64 : is_signed ? ElementType::i64 : ElementType::u64;
    case ResultType::magnitude:
      return floating ? ElementType::f64 : ElementType::u64;
    case ResultType::element:
    case ResultType::top:
      // f2 has no type of its own in memory: every number of it is an f4.
      return type == ElementType::f16 ? ElementType::f32 : type;
    case ResultType::boolean:
      return ElementType::u8;
    case ResultType::index:
    case ResultType::count:
    case ResultType::bins:
    case ResultType::top_index:
      break;
  }
  return ElementType::i64;
}

}  // namespace

std::span<const OperationTraits> meanings() {
  return kTraits;
}

const OperationTraits& meaning_of(Operation operation) {
  return kTraits[static_cast<std::size_t>(operation)];
}

ReductionSpec spec_of(ElementType type, std::span<const Operation> operations, job::NanPolicy nan) {
  ReductionSpec spec{.type = type, .skip_nan = nan == job::NanPolicy::skip};
  for (const Operation operation : operations) {
    for (const Component component : meaning_of(operation).needs) {
      if (component != nullptr) spec.*component = true;
    }
  }
  return spec;
}

bool merges(job::Operation operation) {
  const OperationTraits& meaning = meaning_of(operation);
  return meaning.answers.front() != nullptr || meaning.of_moments != nullptr;
}

bool need_powers(std::span<const Operation> operations) {
  return spec_of(ElementType::f64, operations, job::NanPolicy::propagate).has_powers();
}

ReductionSpec spec_of(ElementType type, const job::ReduceJob& job) {
  if (job::pairing_of(job) != job::Pairing::none) return pair_spec(job);
  ReductionSpec spec = spec_of(type, job.operations, job.nan);
  if (passes_of(job) == 1) return spec;
  for (const Operation operation : job.operations) {
    const Component component = meaning_of(operation).first_pass;
    if (component != nullptr) spec.*component = true;
  }
  return spec;
}

int passes_of(const job::ReduceJob& job) {
  const bool finds = std::ranges::any_of(job.operations, [](Operation operation) {
    return meaning_of(operation).first_pass != nullptr;
  });
  return finds && !job.histogram.range ? 2 : 1;
}

void check_defined_on_empty(std::span<const Operation> operations) {
  for (const OperationTraits& meaning : kTraits) {
    if (!meaning.of_nothing.empty()) continue;
    if (std::ranges::find(operations, meaning.operation) == operations.end()) continue;
    throw base::usage_error("--op {}: the array is empty", job::operation_name(meaning.operation));
  }
}

std::vector<Value> answer(Operation operation, const Partial& all, const ReductionSpec& spec,
                          std::int64_t ddof) {
  if (is_order_statistic(operation)) return {};  // by order_answer()
  if (spec.pairing != job::Pairing::none) return {pair_answer(operation, all, spec, ddof)};
  const Answers answers(all, spec, ddof);
  const OperationTraits& meaning = meaning_of(operation);
  if (meaning.of_moments != nullptr) return {answers.of_moments(meaning.of_moments)};
  std::vector<Value> values;
  for (const auto member : meaning.answers) {
    if (member != nullptr) values.push_back((answers.*member)());
  }
  return values;
}

namespace {

/// Values of an output, of operations with a list of them.
std::optional<std::int64_t> list_length(Operation operation, const job::ReduceJob& job) {
  switch (meaning_of(operation).type) {
    case ResultType::bins:
      return job.histogram.bins;
    case ResultType::quantile:
      if (job.quantiles.size() == 1) break;  // a number, as in NumPy
      return std::ssize(job.quantiles);
    case ResultType::top:
      return job.topk;
    case ResultType::top_index:
      return job.argtopk;
    default:
      break;
  }
  if (meaning_of(operation).answers[1] != nullptr) return 2;
  return std::nullopt;
}

}  // namespace

AnswerType result_of(Operation operation, ElementType type, const job::ReduceJob& job,
                     bool is_boolean) {
  const OperationTraits& meaning = meaning_of(operation);
  const bool picks = meaning.type == ResultType::quantile && picks_elements(job.quantile_method);
  const ResultType result = picks ? ResultType::element : meaning.type;
  const bool is_element = result == ResultType::element || result == ResultType::top;
  const bool in_words = result == ResultType::boolean;
  const std::optional<std::int64_t> length = list_length(operation, job);
  return {.operation = operation,
          .type = element_type(result, type),
          .is_boolean = in_words || (is_element && is_boolean),
          .in_words = in_words,
          .values_each = length.value_or(1),
          .is_list = length.has_value()};
}

}  // namespace tessera::statistics
