// A job of `tessera map`: expressions of arrays, written to a file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/arrays/array_job.hpp"
#include "job/arrays/reduce_job.hpp"

namespace tessera::job {

/// An expression.
struct MappedArray {
  std::string name;  ///< name of the dataset
  std::string text;
  std::string file{};  ///< it is written to

  friend bool operator==(const MappedArray&, const MappedArray&) = default;
};

/// --output NAME=FILE.
struct NamedOutput {
  std::string name;  ///< name of the expression
  std::string file;
  std::string dataset{};  ///< in the file; "" = the name

  friend bool operator==(const NamedOutput&, const NamedOutput&) = default;
};

/// All options of a `tessera map`.
struct MapJob : ArrayJob {
  std::vector<MappedArray> mapped;   ///< the expressions in `map`
  std::string dataset;               ///< in `output`; "" = by the names
  std::vector<NamedOutput> outputs;  ///< files, one for each expression, or empty
  int compress = 1;                  ///< level; 0 none, up to 3 smallest
  Shape chunk;                       ///< shape of the chunks; empty = chosen

  friend bool operator==(const MapJob&, const MapJob&) = default;
};

/// Options of `map`, in the order of --help.
std::span<const Option<MapJob>> map_options();

/// `expression`: "a + b", or "sum = a + b; difference = a - b" for several arrays. `arguments`:
/// further expressions, whose names are those of outputs, then the inputs. Applies `given` in
/// order. Throws a usage error if there is no input or no output, and if the outputs do not fit
/// the expressions.
MapJob make_map_job(std::string_view expression, std::span<const std::string> arguments,
                    std::span<const Given> given);

/// The files that the job writes arrays to: `output`, or that of each expression.
std::vector<std::string> output_files(const MapJob& job);

/// A reduction of the same arrays, without operations. Reports, and the keys by which a later run
/// knows its files, say of a map what they say of this job, as they always have.
ReduceJob as_reduction(const MapJob& job);

}  // namespace tessera::job
