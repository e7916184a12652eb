#include "job/arrays/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;

/// Each slice returns all counts, which bounds their number.
// crossed by: of_tables_of_bins, test_ranges_that_are_none
constexpr std::int64_t kMaxBins = 65536;
/// Each slice returns so many elements.
// crossed by: test_wrong_values
constexpr std::int64_t kMaxTop = 65536;

void read_histogram(std::span<const std::string> parts, OperationValues& values, Text what) {
  if (parts.size() != 1 && parts.size() != 3) {
    throw base::usage_error("{}: a histogram is histogram=BINS or histogram=BINS,LO,HI", what);
  }
  values.histogram = {.bins = base::parse_count(parts[0], what, 1, kMaxBins)};
  if (parts.size() == 1) return;
  const double low = base::parse_real(parts[1], what);
  const double high = base::parse_real(parts[2], what);
  if (!(low < high) || !std::isfinite(high - low)) {
    throw base::usage_error("{}: a histogram from {} to {} has no width that is a number", what,
                            parts[1], parts[2]);
  }
  values.histogram.range = {low, high};
}

std::string print_histogram(const OperationValues& values) {
  const Histogram& histogram = values.histogram;
  if (!histogram.range) return fmt::format("{}", histogram.bins);
  return fmt::format("{},{},{}", histogram.bins, histogram.range->first, histogram.range->second);
}

void read_quantiles(std::span<const std::string> parts, OperationValues& values, Text what) {
  for (const std::string& part : parts) {
    const double q = base::parse_real(part, what);
    if (!(q >= 0 && q <= 1)) {
      throw base::usage_error("{}: the quantile {} is outside 0..1", what, part);
    }
    values.quantiles.push_back(q);
  }
  if (parts.empty()) {
    throw base::usage_error("{}: a quantile is quantile=Q[,Q...] with each Q in 0..1", what);
  }
}

std::string print_quantiles(const OperationValues& values) {
  return fmt::format("{}", fmt::join(values.quantiles, ","));
}

template <std::int64_t OperationValues::*member>
void read_top(std::span<const std::string> parts, OperationValues& values, Text what) {
  if (parts.size() != 1) {
    throw base::usage_error("{}: the largest elements are topk=K, their indices argtopk=K", what);
  }
  values.*member = base::parse_count(parts[0], what, 1, kMaxTop);
}

template <std::int64_t OperationValues::*member>
std::string print_top(const OperationValues& values) {
  return fmt::format("{}", values.*member);
}

/// A new operation is a line in Operation, a row here and a row in statistics/operations.cpp.
constexpr std::array kOperations = std::to_array<OperationRow>({
    {Operation::sum, "sum"},
    {.operation = Operation::prod, .name = "prod", .along_axes = false},
    {Operation::mean, "mean"},
    {Operation::var, "var"},
    {Operation::std, "std"},
    {Operation::skewness, "skewness"},
    {Operation::kurtosis, "kurtosis"},
    {Operation::min, "min"},
    {Operation::max, "max"},
    {Operation::argmin, "argmin"},
    {Operation::argmax, "argmax"},
    {Operation::minmax, "minmax"},
    {Operation::norm1, "norm1"},
    {Operation::norm2, "norm2"},
    {Operation::norminf, "norminf"},
    {Operation::count, "count"},
    {Operation::count_nonzero, "count_nonzero"},
    {Operation::any, "any"},
    {Operation::all, "all"},
    {.operation = Operation::dot, .name = "dot", .arrays = 2},
    {.operation = Operation::cov, .name = "cov", .arrays = 2},
    {.operation = Operation::corr, .name = "corr", .arrays = 2},
    {.operation = Operation::histogram,
     .name = "histogram",
     .value = "BINS[,LO,HI]",
     .text = {read_histogram, print_histogram}},
    {Operation::median, "median"},
    {.operation = Operation::quantile,
     .name = "quantile",
     .value = "Q[,Q...]",
     .text = {read_quantiles, print_quantiles}},
    {Operation::mode, "mode"},
    {Operation::nunique, "nunique"},
    {.operation = Operation::topk,
     .name = "topk",
     .value = "K",
     .text = {read_top<&OperationValues::topk>, print_top<&OperationValues::topk>}},
    {.operation = Operation::argtopk,
     .name = "argtopk",
     .value = "K",
     .text = {read_top<&OperationValues::argtopk>, print_top<&OperationValues::argtopk>}},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    if (kOperations[i].operation != static_cast<Operation>(i)) return false;
  }
  return true;
}
static_assert(in_order());

constexpr std::array kOperationNames = [] {
  std::array<Text, kOperations.size()> names;
  std::ranges::transform(kOperations, names.begin(), &OperationRow::name);
  return names;
}();

/// Names of other programs, and what to take instead; "" = there is nothing like it.
struct OtherName {
  Text name;
  Text instead;
};
constexpr std::array kOtherNames = std::to_array<OtherName>({
    {"absmax", "norminf"},
    {"amax", "max"},
    {"amin", "min"},
    {"argmean", ""},
    {"average", "mean"},
    {"avg", "mean"},
    {"corrcoef", "corr"},
    {"covariance", "cov"},
    {"correlation", "corr"},
    {"pearsonr", "corr"},
    {"gmean", ""},
    {"hmean", ""},
    {"iqr", "quantile=0.25,0.75"},
    {"kurt", "kurtosis"},
    {"l1", "norm1"},
    {"l2", "norm2"},
    {"linf", "norminf"},
    {"mad", ""},
    {"mid", ""},
    {"nonzero", "count_nonzero"},
    {"norm", "norm2"},
    {"norm0", "count_nonzero"},
    {"norm3", ""},
    {"norm4", ""},
    {"percentile", "quantile=Q with Q in 0..1"},
    {"product", "prod"},
    {"ptp", "minmax"},
    {"range", "minmax"},
    {"sd", "std"},
    {"sem", ""},
    {"skew", "skewness"},
    {"stddev", "std"},
    {"stdev", "std"},
    {"tmean", ""},
    {"tstd", ""},
    {"tvar", ""},
    {"variance", "var"},
});

constexpr std::array<Text, 13> kQuantileMethods = {"inverted_cdf",
                                                   "averaged_inverted_cdf",
                                                   "closest_observation",
                                                   "interpolated_inverted_cdf",
                                                   "hazen",
                                                   "weibull",
                                                   "linear",
                                                   "median_unbiased",
                                                   "normal_unbiased",
                                                   "lower",
                                                   "higher",
                                                   "midpoint",
                                                   "nearest"};

constexpr std::array kWeightedMethods = std::to_array<WeightedMethod>({
    {.method = QuantileMethod::linear, .alpha = 24, .beta = 24},
    {.method = QuantileMethod::inverted_cdf, .picks = true},
    {.method = QuantileMethod::interpolated_inverted_cdf, .alpha = 0, .beta = 24},
    {.method = QuantileMethod::hazen, .alpha = 12, .beta = 12},
    {.method = QuantileMethod::weibull, .alpha = 0, .beta = 0},
    {.method = QuantileMethod::median_unbiased, .alpha = 8, .beta = 8},
    {.method = QuantileMethod::normal_unbiased, .alpha = 9, .beta = 9},
});

bool is_operation(Text part) {
  return std::ranges::find(kOperationNames, part.substr(0, part.find('='))) !=
         kOperationNames.end();
}

/// Whether `part` continues the value before it: no name begins like a number.
bool is_number(Text part) {
  return !part.empty() && Text("+-.0123456789").find(part.front()) != Text::npos;
}

/// The operation to suggest instead of `name`; "" if there is none. nanmean is a mean that skips
/// NaN.
std::string instead_of(Text name) {
  const Text rest = name.substr(std::min<std::size_t>(name.size(), 3));
  if (name.starts_with("nan") && is_operation(rest)) return fmt::format("{} with --nan skip", rest);
  const auto other = std::ranges::find(kOtherNames, name, &OtherName::name);
  return other == kOtherNames.end() ? "" : std::string(other->instead);
}

/// Refuses names of other statistics, for which the nearest name would be wrong.
void check_name(Text name, Text what) {
  const std::string instead = instead_of(name);
  if (!instead.empty()) {
    throw base::usage_error("{}: there is no operation '{}'; take {}", what, name, instead);
  }
  if (std::ranges::find(kOtherNames, name, &OtherName::name) == kOtherNames.end()) return;
  throw base::usage_error("{}: there is no operation '{}'; there are {}", what, name,
                          fmt::join(kOperationNames, ", "));
}

void add_operation(std::vector<Operation>& operations, Text name, Text what) {
  check_name(name, what);
  const auto operation =
      static_cast<Operation>(find_name(kOperationNames, name, what, "operation"));
  if (std::ranges::find(operations, operation) != operations.end()) {
    throw base::usage_error("{}: '{}' is named twice; once is enough", what, name);
  }
  operations.push_back(operation);
}

}  // namespace

std::span<const OperationRow> operations() {
  return kOperations;
}

const OperationRow& row_of(Operation operation) {
  return kOperations[static_cast<std::size_t>(operation)];
}

std::string operations_help() {
  std::vector<std::string> names;
  for (const OperationRow& row : kOperations) {
    names.push_back(fmt::format("{}{}{}", row.name, row.value.empty() ? "" : "=", row.value));
  }
  return base::join(names, " ");
}

OperationList parse_operations(Text text, Text what) {
  OperationList list;
  std::vector<std::string> parts = base::split(text, ',');
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t next = i + 1;
    const std::size_t equals = std::min(parts[i].find('='), parts[i].size());
    const bool has_value = equals < parts[i].size();
    const std::string name = parts[i].substr(0, equals);
    add_operation(list.operations, name, what);
    const ValueText& value = row_of(list.operations.back()).text;
    if (value.read == nullptr && has_value) {
      throw base::usage_error("{}: '{}' takes no value", what, name);
    }
    if (value.read != nullptr) {
      while (has_value && next < parts.size() && is_number(parts[next])) ++next;
      parts[i].erase(0, equals + 1);
      value.read(std::span(parts).subspan(i, has_value ? next - i : 0), list, what);
    }
    i = next;
  }
  if (list.operations.empty()) {
    throw base::usage_error("{}: names no operation; there are {}", what,
                            fmt::join(kOperationNames, ", "));
  }
  return list;
}

std::string format_operations(std::span<const Operation> operations,
                              const OperationValues& values) {
  std::vector<std::string> names;
  for (const Operation operation : operations) {
    names.emplace_back(operation_name(operation));
    const ValueText& value = row_of(operation).text;
    if (value.print != nullptr) names.back() += "=" + value.print(values);
  }
  return base::join(names, ",");
}

std::span<const Text> quantile_methods() {
  return kQuantileMethods;
}

std::span<const WeightedMethod> weighted_methods() {
  return kWeightedMethods;
}

const WeightedMethod* find_weighted(QuantileMethod method) {
  const auto found = std::ranges::find(kWeightedMethods, method, &WeightedMethod::method);
  return found == kWeightedMethods.end() ? nullptr : &*found;
}

}  // namespace tessera::job
