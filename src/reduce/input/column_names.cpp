#include "reduce/input/column_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "base/printable.hpp"

namespace tessera::reduce {
namespace {

std::string own_name(const job::ArrayInput& input, const store::ArrayInfo& info,
                     std::size_t number) {
  if (!input.is_in_file()) return fmt::format("key{}", number);
  std::string name = std::filesystem::path(input.path).stem().string();
  if (!info.dataset.empty()) name = info.dataset.substr(info.dataset.rfind('/') + 1);
  if (!input.pattern.empty() && info.dataset.empty()) std::ranges::replace(name, '*', '_');
  return base::as_utf8(name);
}

std::vector<std::string> numbered(std::string_view name, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 1; i <= count; ++i) names.push_back(fmt::format("{}_{}", name, i));
  return names;
}

/// HDF5 takes a point for a group.
bool is_no_name(const std::string& name) {
  return name.empty() || name == "." || name == "..";
}

}  // namespace

std::vector<std::string> result_columns(job::Operation operation, const job::ReduceJob& job) {
  const std::string name(job::operation_name(operation));
  if (operation == job::Operation::count) return {"valid"};  // beside that of all elements
  if (operation == job::Operation::minmax) return {name + "_min", name + "_max"};
  if (operation == job::Operation::topk) return numbered(name, job.topk);
  if (operation == job::Operation::argtopk) return numbered(name, job.argtopk);
  if (operation != job::Operation::quantile) return {name};
  std::vector<std::string> names;
  for (const double q : job.quantiles) names.push_back(fmt::format("{}_{}", name, q));
  return names;
}

std::vector<std::string> taken_columns(const job::ReduceJob& job) {
  std::vector<std::string> taken = {"count"};
  for (const job::Operation operation : job.operations) {
    std::ranges::copy(result_columns(operation, job), std::back_inserter(taken));
  }
  return taken;
}

std::vector<std::string> key_columns(const std::string& name, bool has_bins) {
  return has_bins ? std::vector{name + "_from", name + "_to"} : std::vector{name};
}

std::string name_key(const job::ArrayInput& input, const store::ArrayInfo& info, std::size_t number,
                     bool has_bins, std::vector<std::string>& taken) {
  std::string name = own_name(input, info, number);
  const auto is_taken = [&] {
    return is_no_name(name) ||
           std::ranges::any_of(key_columns(name, has_bins), [&](const std::string& column) {
             return std::ranges::find(taken, column) != taken.end();
           });
  };
  while (is_taken()) name += fmt::format("_key{}", number);
  std::ranges::copy(key_columns(name, has_bins), std::back_inserter(taken));
  return name;
}

}  // namespace tessera::reduce
