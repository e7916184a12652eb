#include "job/operations.hpp"

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

/// A new operation is a line in Operation, a row here and a row in statistics/operations.cpp.
constexpr std::array kOperations = std::to_array<OperationRow>({
    {Operation::sum, "sum"},
    {.operation = Operation::prod, .name = "prod", .along_axes = false},
    {Operation::mean, "mean"},
    {Operation::var, "var"},
    {Operation::std, "std"},
    {Operation::min, "min"},
    {Operation::max, "max"},
    {Operation::argmin, "argmin"},
    {Operation::argmax, "argmax"},
    {Operation::minmax, "minmax"},
    {Operation::norm1, "norm1"},
    {Operation::norm2, "norm2"},
    {Operation::norminf, "norminf"},
    {Operation::count_nonzero, "count_nonzero"},
    {Operation::any, "any"},
    {Operation::all, "all"},
    {.operation = Operation::dot, .name = "dot", .along_axes = false, .arrays = 2},
    {.operation = Operation::histogram, .name = "histogram", .value = "BINS[,LO,HI]"},
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
constexpr Text kQuantile = "histogram=BINS to see where it lies";
constexpr std::array kOtherNames = std::to_array<OtherName>({
    {"absmax", "norminf"},
    {"amax", "max"},
    {"amin", "min"},
    {"argmean", ""},
    {"average", "mean"},
    {"avg", "mean"},
    {"gmean", ""},
    {"hmean", ""},
    {"iqr", kQuantile},
    {"l1", "norm1"},
    {"l2", "norm2"},
    {"linf", "norminf"},
    {"mad", ""},
    {"median", kQuantile},
    {"mid", ""},
    {"mode", kQuantile},
    {"nonzero", "count_nonzero"},
    {"norm", "norm2"},
    {"norm0", "count_nonzero"},
    {"norm3", ""},
    {"norm4", ""},
    {"percentile", kQuantile},
    {"product", "prod"},
    {"ptp", "minmax"},
    {"quantile", kQuantile},
    {"range", "minmax"},
    {"sd", "std"},
    {"sem", ""},
    {"stddev", "std"},
    {"stdev", "std"},
    {"tmean", ""},
    {"tstd", ""},
    {"tvar", ""},
    {"variance", "var"},
});

/// Each slice returns all counts, which bounds their number.
constexpr std::int64_t kMostBins = 65536;

bool is_operation(Text part) {
  return std::ranges::find(kOperationNames, part.substr(0, part.find('='))) !=
         kOperationNames.end();
}

/// Parses "BINS" or "BINS,LO,HI", already split into `parts`.
Histogram parse_histogram(std::span<const std::string> parts, Text what) {
  if (parts.size() != 1 && parts.size() != 3) {
    throw base::usage_error("{}: a histogram is histogram=BINS or histogram=BINS,LO,HI", what);
  }
  Histogram histogram{.bins = base::parse_count(parts[0], what, 1, kMostBins)};
  if (parts.size() == 1) return histogram;
  const double low = base::parse_real(parts[1], what);
  const double high = base::parse_real(parts[2], what);
  if (!(low < high) || !std::isfinite(high - low)) {
    throw base::usage_error("{}: a histogram from {} to {} has no width that is a number", what,
                            parts[1], parts[2]);
  }
  histogram.range = {low, high};
  return histogram;
}

/// What to take instead of `name`; "" if that is not known. nanmean is a mean that skips NaN.
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
    const std::string name = parts[i].substr(0, equals);
    add_operation(list.operations, name, what);
    const bool takes_value = !row_of(list.operations.back()).value.empty();
    if (takes_value != (equals < parts[i].size())) {
      throw base::usage_error("{}: {}", what,
                              takes_value ? "a histogram is histogram=BINS or histogram=BINS,LO,HI"
                                          : fmt::format("'{}' takes no value", name));
    }
    if (takes_value) {
      // A histogram's commas look like those of the list: its numbers are the parts that name no
      // operation.
      while (next < parts.size() && next < i + 3 && !is_operation(parts[next])) ++next;
      parts[i].erase(0, equals + 1);
      list.histogram = parse_histogram(std::span(parts).subspan(i, next - i), what);
    }
    i = next;
  }
  if (list.operations.empty()) {
    throw base::usage_error("{}: names no operation; there are {}", what,
                            fmt::join(kOperationNames, ", "));
  }
  return list;
}

std::string format_operations(std::span<const Operation> operations, const Histogram& histogram) {
  std::vector<std::string> names;
  for (const Operation operation : operations) {
    names.emplace_back(operation_name(operation));
    if (operation != Operation::histogram) continue;
    names.back() += fmt::format("={}", histogram.bins);
    if (const auto& range = histogram.range) {
      names.back() += fmt::format(",{},{}", range->first, range->second);
    }
  }
  return base::join(names, ",");
}

}  // namespace tessera::job
