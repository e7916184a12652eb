// What is to be made of an array. The numbers that come out depend on the array, the operations,
// --ddof and --nan only; nothing else in a job may change one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/array_input.hpp"
#include "job/operations.hpp"
#include "job/options.hpp"
#include "job/run_spec.hpp"

namespace tessera::job {

enum class NanPolicy {
  propagate,  ///< one NaN makes sums, extremes and norms NaN; argmin and argmax find the first
  skip        ///< as if the NaN were not in the array
};

/// A whole `tessera reduce`.
struct ReduceJob : RunSpec {
  std::vector<ArrayInput> inputs;     ///< one behind the other along their first dimension
  std::string with;                   ///< INPUT of the other array of dot; "" = none
  std::vector<Operation> operations;  ///< each once, in the order given
  Histogram histogram;                ///< if it is among the operations
  /// That the reduction goes over, as given: negative ones count from the end. Empty = all, which
  /// makes one number of an operation; otherwise they make an array, in `output`.
  std::vector<std::int64_t> axes;
  std::string output;  ///< FILE.npy or FILE.h5, "" = none
  bool overwrite = false;
  std::int64_t ddof = 0;
  NanPolicy nan = NanPolicy::propagate;

  std::uint64_t slice_bytes = std::uint64_t{8} << 20;  ///< that a thread takes at a time
  std::string checkpoint_file;                         ///< "" = named after the job

  friend bool operator==(const ReduceJob&, const ReduceJob&) = default;
};

/// Options of `reduce`, in the order of --help.
std::span<const Option<ReduceJob>> reduce_options();

/// Applies `given` in order and checks that there is an input and something to do with it.
ReduceJob make_reduce_job(std::span<const std::string> inputs, std::span<const Given> given);

/// Which of the dimensions of an array of that shape `axes` names. Usage error, which tells the
/// dimensions, for one that is not there or is named twice.
std::vector<bool> reduced_dimensions(std::span<const std::int64_t> axes, const Shape& shape,
                                     std::string_view array);

/// The job as (key, text) pairs; keys without a value are left out.
std::vector<std::pair<std::string, std::string>> describe(const ReduceJob& job);

}  // namespace tessera::job
