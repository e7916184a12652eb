// The common part of the jobs of `tessera reduce` and `tessera map`: the inputs and how they are
// read, the output and the checkpoint.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/arrays/array_input.hpp"
#include "job/image/options.hpp"
#include "job/run_spec.hpp"

namespace tessera::job {

struct ArrayJob : RunSpec {
  std::vector<ArrayInput> inputs;  ///< concatenated along their first dimension, unless `map`
  std::string map;                 ///< expression of the inputs; "" = they are taken as they are
  std::vector<std::string> names;  ///< names of the inputs in `map`; empty without one
  std::vector<std::string> dimensions;  ///< names for those of the inputs; empty = none
  Decoding decoding;                    ///< of the inputs, and of a second array
  std::string output;                   ///< "" = none. The first of several.
  bool overwrite = false;

  std::uint64_t slice_bytes = std::uint64_t{8} << 20;  ///< bytes that a thread takes at a time
  std::string checkpoint_file;                         ///< "" = not named
  /// Where the state is kept if neither an output nor checkpoint_file says so; "" = nowhere.
  std::string default_checkpoint;

  friend bool operator==(const ArrayJob&, const ArrayJob&) = default;
};

enum class ArrayOption { dims, overwrite, raw, missing, slice };

const Option<ArrayJob>& array_option_row(ArrayOption which);

/// The row of an ArrayJob member for the option table of a job.
template <class Job>
Option<Job> array_option(ArrayOption which) {
  return inherited<Job>(array_option_row(which));
}

/// Gives the names of --dims to the inputs.
void name_dimensions(ArrayJob& job);

/// Sets job.map to `text` on one line. Throws a usage error if it is empty.
void set_expression(ArrayJob& job, std::string_view text);

/// Parses "NAME=INPUT" arguments of an expression; those without a name are a, b, c, ... by their
/// place. Throws a usage error if two have one name.
void set_named_inputs(ArrayJob& job, std::span<const std::string> inputs);

/// All inputs, as given.
std::string input_text(const ArrayJob& job);

}  // namespace tessera::job
