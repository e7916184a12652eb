// What a reduction says of an array, and what it took: one struct for the table and the JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/timings.hpp"

namespace tessera::report {

struct ReducedValue {
  std::string text;            ///< decimal, true or false; of an f64 one that reads back to it
  std::optional<double> real;  ///< of an f64
};

struct ReducedOperation {
  std::string name;
  std::vector<ReducedValue> values;  ///< one; of minmax two, of a histogram one a bin
  /// Of argmin and argmax, where there is such an element: its coordinates, slowest first.
  std::vector<std::int64_t> coordinates;
  std::vector<double> edges;  ///< of the bins of a histogram, one more than there are
};

/// What an operation made along the axes that are kept.
struct ReducedArray {
  std::string name;  ///< of the operation
  std::string type;  ///< "f8", "b1"
  std::vector<std::int64_t> shape;
  std::string file;
  std::string dataset;  ///< in it, "" of a .npy file
};

struct ReduceReport {
  std::string version;                                   ///< "0.1.0 (commit)"
  std::vector<std::pair<std::string, std::string>> job;  ///< its keys as text
  std::string input;                                     ///< as given
  std::string kind;                                      ///< "raw", "npy, C order"
  std::string type;                                      ///< "f4"
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0;
  std::int64_t nans = 0;
  std::int64_t positive_infinities = 0;
  std::int64_t negative_infinities = 0;
  std::vector<ReducedOperation> operations;
  std::vector<ReducedArray> arrays;  ///< instead of those, with --axis
  double wall_s = 0;                 ///< since the start of the run
  double work_s = 0;                 ///< of that, from the first slice to the last
  std::int64_t found_slices = 0;     ///< done by an earlier run; the ranks' are others
  InFlight in_flight;                ///< of slices; of items, along axes
  std::vector<RankReport> ranks;
};

std::string to_table(const ReduceReport& run);
std::string to_json(const ReduceReport& run);

/// The workers' time in which they reduced elements that they had read.
double reduce_s(const RankReport& rank);

}  // namespace tessera::report
