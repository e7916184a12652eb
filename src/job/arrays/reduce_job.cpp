#include "job/arrays/reduce_job.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/file/user_path.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "job/arrays/input_name.hpp"

namespace tessera::job {

namespace {

/// An operation that only whole arrays have.
void check_operations(const ReduceJob& job, std::string_view option) {
  for (const Operation operation : job.operations) {
    if (row_of(operation).along_axes) continue;
    throw base::usage_error("--op {}: is of a whole array, not along {}", operation_name(operation),
                            option);
  }
}

/// The columns of a table are named after the quantiles.
void check_columns(const ReduceJob& job) {
  for (auto q = job.quantiles.begin(); q != job.quantiles.end(); ++q) {
    if (std::find(job.quantiles.begin(), q, *q) == q) continue;
    throw base::usage_error("--op quantile: {} is named twice; a table has one column of each name",
                            *q);
  }
}

/// Groups along an axis, of which each output has its own.
void check_groups_along_axes(const ReduceJob& job) {
  if (job.by.size() > 1) {
    throw base::usage_error("--by {}: with --axis, one key is possible", keys_text(job));
  }
  for (const Operation operation : {Operation::argmin, Operation::argmax, Operation::argtopk}) {
    if (!wants(job, operation)) continue;
    throw base::usage_error("--op {}: is not of groups along --axis", operation_name(operation));
  }
}

/// Checks --by and its options together.
void check_groups(const ReduceJob& job) {
  if (job.by.empty()) {
    if (!job.bins.empty()) throw base::usage_error("--bins {}: is for --by KEYS", job.bins);
    if (job.groups > 0) throw base::usage_error("--groups {}: is for --by KEYS", job.groups);
    return;
  }
  if (job.groups > 0 && job.by.size() > 1) {
    throw base::usage_error("--groups {}: is for one key, not for {}", job.groups, job.by.size());
  }
  const std::size_t bins = bins_of_keys(job).size();
  if (bins > 1 && bins != job.by.size()) {
    throw base::usage_error("--bins {}: has {} parts, and --by has {}", job.bins, bins,
                            base::count_of(std::ssize(job.by), "key"));
  }
  if (job.groups > 0 && !job.bins.empty()) {
    throw base::usage_error("--groups {}: leave it out; --bins says how many there are",
                            job.groups);
  }
  if (!job.axes.empty()) return check_groups_along_axes(job);
  check_operations(job, "--by");
  check_columns(job);
  if (wants(job, Operation::histogram)) {
    throw base::usage_error("--op histogram: is of a whole array or along --axis, not with --by");
  }
}

/// Checks --axis and the operations together.
void check_axes(const ReduceJob& job) {
  if (job.axes.empty()) return;
  check_operations(job, "--axis");
  if (wants(job, Operation::histogram) && !job.histogram.range) {
    throw base::usage_error(
        "--op histogram: with --axis say which part is wanted, as histogram=BINS,LO,HI");
  }
}

void check_states(const ReduceJob& job) {
  if (job.append && job.states.empty()) {
    throw base::usage_error("--append: say to which state, as --state FILE");
  }
  if (job.states.empty()) return;
  if (!job.axes.empty() || !job.by.empty()) {
    throw base::usage_error("--state: keeps answers of whole arrays; leave out --{}",
                            job.axes.empty() ? "by" : "axis");
  }
  if (pairing_of(job) != Pairing::none) {
    throw base::usage_error("--state: keeps no weighted statistics, covariances and correlations");
  }
  if (!job.inputs.empty() && job.states.size() > 1) {
    throw base::usage_error("--state: with an INPUT, give the one file that is written");
  }
}

/// Refuses what belongs to one run, or is no answer of a whole array.
void check_pool(const ReduceJob& job, std::span<const Given> given) {
  if (job.pool.empty()) {
    for (const Given& option : given) {
      if (option.name != "pool-shares" && option.name != "pool-lease") continue;
      if (option.origin.starts_with("--"))
        throw base::usage_error("{}: needs --pool", option.origin);
    }
    return;
  }
  if (job.inputs.empty()) throw base::usage_error("--pool: name an INPUT");
  if (!job.axes.empty() || !job.by.empty()) {
    throw base::usage_error("--pool: makes answers of whole arrays; leave out --{}",
                            job.axes.empty() ? "by" : "axis");
  }
  for (const auto& [option, is_given] : {std::pair("state", !job.states.empty()),
                                         {"checkpoint-file", !job.checkpoint_file.empty()},
                                         {"overwrite", job.overwrite},
                                         {"serve", job.serve},
                                         {"trace", !job.trace.empty()},
                                         {"report-html", !job.report_html.empty()}}) {
    if (!is_given) continue;
    throw base::usage_error(
        "--{}: is of a single run, and --pool is of many; leave one of them out", option);
  }
}

/// Of quantiles with weights.
void check_method(const ReduceJob& job) {
  if (!wants(job, Operation::quantile) || find_weighted(job.quantile_method) != nullptr) return;
  std::vector<std::string> names;
  for (const WeightedMethod& row : weighted_methods()) names.emplace_back(method_name(row.method));
  throw base::usage_error("--quantile-method {}: is not weighted; with --weights there are {}",
                          method_name(job.quantile_method), base::join(names, ", "));
}

/// Other operations have no pairs.
void check_pairs(const ReduceJob& job) {
  using enum Operation;
  constexpr std::array kWeighted = {sum, mean, var, std, median, quantile, count};
  constexpr std::array kJoint = {dot, cov, corr, count};
  const auto refuse_others = [&](std::span<const Operation> known, std::string_view why) {
    for (const Operation operation : job.operations) {
      if (std::ranges::find(known, operation) != known.end()) continue;
      throw base::usage_error("--op {}: {}", operation_name(operation), why);
    }
  };
  if (job.weights && job.with) {
    throw base::usage_error("--weights {}: not with dot, cov and corr", job.weights->text);
  }
  if (job.weights && job.ddof != 0) {
    throw base::usage_error("--ddof {}: weighted variances are sums over the sum of the weights",
                            job.ddof);
  }
  if (job.weights) {
    refuse_others(kWeighted,
                  "is not weighted; with --weights there are sum, mean, var, std, median, "
                  "quantile, count");
    check_method(job);
  } else if (pairing_of(job) == Pairing::joint) {
    refuse_others(kJoint,
                  "is not of two arrays; dot along axes or by groups, cov and corr go with "
                  "each other and with count alone");
  }
}

}  // namespace

bool wants(const ReduceJob& job, Operation operation) {
  return std::ranges::find(job.operations, operation) != job.operations.end();
}

ReduceJob make_reduce_job(std::span<const std::string> inputs, std::span<const Given> given) {
  ReduceJob job;
  apply_options(job, reduce_options(), given);
  if (inputs.empty()) {
    check_pool(job, given);
    if (job.states.empty()) {
      throw base::usage_error("reduce: name an INPUT; see tessera reduce --help");
    }
    check_states(job);
    return job;
  }
  if (job.map.empty()) {
    for (const std::string& input : inputs) {
      job.inputs.push_back(parse_array_input(input));
      job.inputs.back().decoding = job.decoding;
    }
  } else {
    set_named_inputs(job, inputs);
  }
  name_dimensions(job);
  check_pool(job, given);
  check(job);
  check_output(job);
  return job;
}

void check_output(const ReduceJob& job) {
  if (job.axes.empty() && job.output.empty()) return;
  if (!job.checkpoint_file.empty()) {
    throw base::usage_error("--checkpoint-file {}: with {} it is {}.part.checkpoint",
                            job.checkpoint_file, job.axes.empty() ? "--output" : "--axis",
                            job.output);
  }
  if (job.axes.empty() && !job.by.empty()) return;
  if (job.output.empty()) {
    throw base::usage_error(
        "--axis: makes an array; say where it goes, with --output FILE.npy or FILE.h5");
  }
  if (job.axes.empty()) {
    throw base::usage_error(
        "--output {}: holds the array that --axis makes or the table of --by; without these there "
        "are only numbers, for which there is --report FILE.json",
        job.output);
  }
  const ArrayFormat* const format = find_array_format(job.output);
  if (format == nullptr) {
    throw base::usage_error("--output {}: ends in none of .npy, .h5, .nc and .zarr", job.output);
  }
  if (!format->has_datasets && job.operations.size() > 1) {
    throw base::usage_error("--output {}: holds one operation; {} fit into FILE.h5", job.output,
                            job.operations.size());
  }
}

void check(const ReduceJob& job) {
  check_states(job);
  if (job.operations.empty()) {
    throw base::usage_error("--op: say what to make of the array, such as --op sum,mean");
  }
  check_groups(job);
  check_axes(job);
  const auto of_two = [](Operation operation) { return row_of(operation).arrays == 2; };
  const auto pairs = std::ranges::find_if(job.operations, of_two);
  if (pairs != job.operations.end() && !job.with) {
    throw base::usage_error("--op {}: say with which array, as --with INPUT",
                            operation_name(*pairs));
  }
  if (pairs == job.operations.end() && job.with) {
    throw base::usage_error("--with {}: is for --op dot, cov and corr", job.with->text);
  }
  check_pairs(job);
}

ArrayInput with_input(const ReduceJob& job) {
  ArrayInput input = job.with.value();
  input.decoding = job.decoding;
  input.dimensions = job.dimensions;
  return input;
}

ArrayInput weights_input(const ReduceJob& job) {
  ArrayInput input = job.weights.value();
  input.decoding.raw = job.decoding.raw;
  return input;
}

Pairing pairing_of(const ReduceJob& job) {
  if (job.weights) return Pairing::weighted;
  if (wants(job, Operation::cov) || wants(job, Operation::corr)) return Pairing::joint;
  const bool is_whole = job.axes.empty() && job.by.empty();
  return wants(job, Operation::dot) && !is_whole ? Pairing::joint : Pairing::none;
}

ArrayInput key_input(const ReduceJob& job, std::size_t key) {
  ArrayInput input = job.by[key];
  input.decoding.raw = job.decoding.raw;
  input.dimensions = job.dimensions;
  input.has_these_dimensions = false;
  return input;
}

std::vector<bool> reduced_dimensions(std::span<const std::string> axes, const Shape& shape,
                                     std::span<const std::string> names, std::string_view array) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto number_of = [&](const std::string& axis) -> std::size_t {
    const std::optional<std::int64_t> given = base::read_integer(axis);
    if (!given) return dimension_named(axis, names, fmt::format("--axis {}: {}", axis, array));
    if (*given < -rank || *given >= rank) {
      throw base::usage_error("--axis {}: {} has {}, {}{}", axis, array,
                              base::count_of(rank, "dimension"), format_shape(shape),
                              rank == 0 ? "" : fmt::format(", so axes are 0 to {}", rank - 1));
    }
    return static_cast<std::size_t>(*given < 0 ? *given + rank : *given);
  };
  std::vector<bool> reduced(shape.size());
  for (const std::string& axis : axes) {
    const std::size_t d = number_of(axis);
    if (reduced[d]) {
      throw base::usage_error("--axis {}: is named twice; {} has {}, {}", axis, array,
                              base::count_of(rank, "dimension"), format_shape(shape));
    }
    reduced[d] = true;
  }
  return reduced;
}

std::vector<std::string> bins_of_keys(const ReduceJob& job) {
  if (job.bins.find(';') == job.bins.npos || base::is_named(job.bins)) return {job.bins};
  std::vector<std::string> bins;
  for (std::size_t from = 0; from <= job.bins.size();) {
    const std::size_t end = std::min(job.bins.find(';', from), job.bins.size());
    bins.push_back(found_name(base::trim(std::string_view(job.bins).substr(from, end - from))));
    from = end + 1;
  }
  return bins;
}

std::string keys_text(const ReduceJob& job) {
  std::vector<std::string> keys;
  for (const ArrayInput& key : job.by) keys.push_back(key.text);
  return base::join(keys, ",");
}

std::vector<std::pair<std::string, std::string>> describe(const ReduceJob& job) {
  auto lines = describe_options(job, reduce_options());
  lines.emplace(lines.begin(), "input", input_text(job));
  return lines;
}

}  // namespace tessera::job
