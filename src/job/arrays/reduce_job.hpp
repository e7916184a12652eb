// A job of `tessera reduce` or `tessera map`. The numbers depend only on the inputs, the
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

#include "job/arrays/array_input.hpp"
#include "job/arrays/operations.hpp"
#include "job/image/options.hpp"
#include "job/run_spec.hpp"

namespace tessera::job {

enum class NanPolicy {
  propagate,  ///< one NaN makes sums, extremes and norms NaN; argmin and argmax find the first
  skip        ///< as if the NaN were not in the array
};

/// An expression that `tessera map` writes.
struct MappedArray {
  std::string name;  ///< name of the dataset
  std::string text;
  std::string file{};  ///< it is written to

  friend bool operator==(const MappedArray&, const MappedArray&) = default;
};

/// --output NAME=FILE of `tessera map`.
struct NamedOutput {
  std::string name;  ///< name of the expression
  std::string file;
  std::string dataset{};  ///< in the file; "" = the name

  friend bool operator==(const NamedOutput&, const NamedOutput&) = default;
};

/// Names of the options that were given, also of those with the value that they have by default.
/// Jobs that differ in them alone are equal.
struct GivenNames : std::vector<std::string> {
  friend bool operator==(const GivenNames&, const GivenNames&) { return true; }
};

/// All options of a `tessera reduce`.
struct ReduceJob : RunSpec, OperationValues {
  std::vector<ArrayInput> inputs;     ///< concatenated along their first dimension, unless `map`
  std::string map;                    ///< expression to reduce; "" = the inputs as they are
  std::vector<std::string> names;     ///< names of the inputs in `map`; empty without one
  std::vector<MappedArray> mapped;    ///< expressions of `tessera map` in `map`
  std::string dataset;                ///< dataset of `tessera map` in `output`; "" = by the names
  std::vector<NamedOutput> outputs;   ///< files of `tessera map`, one for each expression, or empty
  int compress = 1;                   ///< level of `tessera map` to HDF5; 0 none, up to 3 smallest
  Shape chunk;                        ///< shape of the chunks of `tessera map`; empty = chosen
  std::optional<ArrayInput> with;     ///< the second array of dot, cov and corr
  std::optional<ArrayInput> weights;  ///< of the elements; its dimensions may have names
  std::vector<Operation> operations;  ///< each once, in the given order
  /// The axes to reduce over, as given: numbers, of which negative ones count from the end, or
  /// names of dimensions. Empty = all: each operation gives one number. Otherwise each gives an
  /// array, in `output`.
  std::vector<std::string> axes;
  std::vector<std::string> dimensions;  ///< names for those of the inputs; empty = none
  /// The keys of groups: each operation gives one value for each group. Empty = none.
  std::vector<ArrayInput> by;
  std::string bins;  ///< bins of keys: LO,HI,N or a file of edges (bins_of_keys()); "" = none
  std::int64_t groups = 0;  ///< the keys are 0 to groups - 1; 0 = they are found
  /// FILE.npy or FILE.h5; of groups also FILE.csv or FILE.json; "" = none. The first of several.
  std::string output;
  bool overwrite = false;
  std::vector<std::string> states;  ///< files of the exact state; the first one is written
  bool append = false;              ///< adds to that one
  std::int64_t ddof = 0;
  NanPolicy nan = NanPolicy::propagate;
  QuantileMethod quantile_method = QuantileMethod::linear;
  Decoding decoding;  ///< of the inputs and of `with`

  std::uint64_t slice_bytes = std::uint64_t{8} << 20;  ///< bytes that a thread takes at a time
  std::string checkpoint_file;                         ///< "" = not named
  /// Where the state is kept if neither an output nor checkpoint_file says so; "" = nowhere.
  std::string default_checkpoint;

  GivenNames given;

  /// "map" or "reduce"
  std::string command() const { return mapped.empty() ? "reduce" : "map"; }

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

/// Gives the names of --dims to the inputs.
void name_dimensions(ReduceJob& job);

/// Sets job.map to `text` on one line. Throws a usage error if it is empty.
void set_expression(ReduceJob& job, std::string_view text);

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

/// Parses "NAME=INPUT" arguments of an expression; those without a name are a, b, c, ... by their
/// place. Throws a usage error if two have one name.
void set_named_inputs(ReduceJob& job, std::span<const std::string> inputs);

/// The files that the job writes arrays or tables to: `output`, or that of each expression.
std::vector<std::string> output_files(const ReduceJob& job);

/// The bins of each key, "" of one without; or those of the only key that has some, alone.
std::vector<std::string> bins_of_keys(const ReduceJob& job);

/// All inputs, as given.
std::string input_text(const ReduceJob& job);
/// The arrays of --by, as given.
std::string keys_text(const ReduceJob& job);

/// The job as (key, text) pairs; keys without a value are left out.
std::vector<std::pair<std::string, std::string>> describe(const ReduceJob& job);

}  // namespace tessera::job
