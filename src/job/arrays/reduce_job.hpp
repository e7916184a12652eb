// A job of `tessera reduce`. The numbers depend only on the inputs, the
// expression, the operations and their options (--ddof, --nan, --quantile-method), --axis, --by,
// --bins and --groups; nothing else in a job may change them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/arrays/array_job.hpp"
#include "job/arrays/operations.hpp"

namespace tessera::job {

enum class NanPolicy {
  propagate,  ///< one NaN makes sums, extremes and norms NaN; argmin and argmax find the first
  skip        ///< as if the NaN were not in the array
};

/// Names of the options that were given, also of those with the value that they have by default.
/// Jobs that differ in them alone are equal.
struct GivenNames : std::vector<std::string> {
  friend bool operator==(const GivenNames&, const GivenNames&) { return true; }
};

/// All options of a `tessera reduce`.
struct ReduceJob : ArrayJob, OperationValues {
  std::optional<ArrayInput> with;     ///< the second array of dot, cov and corr
  std::optional<ArrayInput> weights;  ///< of the elements; its dimensions may have names
  std::vector<Operation> operations;  ///< each once, in the given order
  /// The axes to reduce over, as given: numbers, of which negative ones count from the end, or
  /// names of dimensions. Empty = all: each operation gives one number. Otherwise each gives an
  /// array, in `output`: FILE.npy or FILE.h5.
  std::vector<std::string> axes;
  /// The keys of groups: each operation gives one value for each group. Empty = none. Their
  /// `output` may be FILE.csv or FILE.json, too.
  std::vector<ArrayInput> by;
  std::string bins;  ///< bins of keys: LO,HI,N or a file of edges (bins_of_keys()); "" = none
  std::int64_t groups = 0;          ///< the keys are 0 to groups - 1; 0 = they are found
  std::vector<std::string> states;  ///< files of the exact state; the first one is written
  bool append = false;              ///< adds to that one
  std::int64_t ddof = 0;
  NanPolicy nan = NanPolicy::propagate;
  QuantileMethod quantile_method = QuantileMethod::linear;

  GivenNames given;

  friend bool operator==(const ReduceJob&, const ReduceJob&) = default;
};

/// Options of `reduce`, in the order of --help.
std::span<const Option<ReduceJob>> reduce_options();

/// Applies `given` in order and checks that there are an input and an operation.
ReduceJob make_reduce_job(std::span<const std::string> inputs, std::span<const Given> given);

/// Usage errors for operations and options that do not go together. Not of the output: a program
/// may receive the arrays itself.
void check(const ReduceJob& job);
/// Throws a usage error if --output has no place for what --axis makes.
void check_output(const ReduceJob& job);

/// For each dimension of `shape`, whether `axes` has its number or its name. Throws a usage error
/// that lists the dimensions if an axis does not exist or is named twice.
std::vector<bool> reduced_dimensions(std::span<const std::string> axes, const Shape& shape,
                                     std::span<const std::string> names, std::string_view array);

bool wants(const ReduceJob& job, Operation operation);

/// The array of --with, decoded as the inputs are.
ArrayInput with_input(const ReduceJob& job);

/// The array of --weights, decoded as the inputs are.
ArrayInput weights_input(const ReduceJob& job);

/// Whether the operations add up pairs of numbers. Products of whole arrays that are alone need no
/// pairs (device::Reducer::add_pairs()).
Pairing pairing_of(const ReduceJob& job);

/// An array of --by: its missing values are only those that it has itself.
ArrayInput key_input(const ReduceJob& job, std::size_t key);

/// The bins of each key, "" of one without; or those of the only key that has some, alone.
std::vector<std::string> bins_of_keys(const ReduceJob& job);

/// The arrays of --by, as given.
std::string keys_text(const ReduceJob& job);

/// The job as (key, text) pairs; keys without a value are left out.
std::vector<std::pair<std::string, std::string>> describe(const ReduceJob& job);

}  // namespace tessera::job
