// The report of a reduction, results and times: one struct for the table and the JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/timings.hpp"

namespace tessera::report {

struct ReducedValue {
  std::string text;            ///< decimal, true or false; an f64 reads back to the same value
  std::optional<double> real;  ///< set for an f64
};

/// The element that is an extreme.
struct ReducedPlace {
  std::string array;                      ///< as the user gave it
  std::vector<std::int64_t> coordinates;  ///< in that array, slowest first
};

struct ReducedOperation {
  std::string name;
  std::vector<ReducedValue> values;  ///< one; two for minmax, one per bin for a histogram
  /// For argmin and argmax, if there is such an element: its coordinates, slowest first.
  std::vector<std::int64_t> coordinates;
  /// The same of each value, for argtopk.
  std::vector<std::vector<std::int64_t>> coordinates_each;
  std::vector<ReducedPlace> places;  ///< places of the extremes, if several arrays were joined
  std::vector<double> edges;         ///< bin edges of a histogram, one more than bins
};

/// The result array of an operation, over the dimensions that are kept.
struct ReducedArray {
  std::string name;  ///< name of the operation
  std::string type;  ///< "f8", "b1"
  std::vector<std::int64_t> shape;
  std::string file;
  std::string dataset;  ///< dataset in the file; "" for a .npy file
};

/// The table of groups.
struct ReducedGroups {
  std::int64_t count = 0;
  std::int64_t left_out_nans = 0;     ///< elements whose key is NaN
  std::int64_t left_out_outside = 0;  ///< elements whose key is in no bin
  std::int64_t left_out_missing = 0;  ///< elements whose key is missing
  std::uint64_t stored_bytes =
      0;  ///< bytes on disk of groups and elements that memory did not hold
  std::vector<std::string> columns;
  std::vector<std::string> types;              ///< types of the columns: "i8", "b1"
  std::vector<std::vector<std::string>> rows;  ///< the first ones
  std::string file;                            ///< that has all of them; "" = none
};

/// How stored elements became numbers.
struct ReducedDecoding {
  std::optional<double> scale_factor;
  std::optional<double> add_offset;
  std::string type;    ///< type of the numbers
  std::string stored;  ///< type of the elements
};

/// The file of --state.
struct KeptState {
  std::string file;
  std::int64_t arrays = 0;  ///< whose elements the answers have
};

struct ReduceReport {
  RunState state;
  std::string command = "reduce";                        ///< or "map"
  std::string version;                                   ///< "0.1.0 (commit)"
  std::vector<std::pair<std::string, std::string>> job;  ///< (key, value) as text
  std::string input;                                     ///< as given
  std::string kind;                                      ///< "raw", "npy, C order"
  std::string type;                                      ///< "f4"
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0;
  std::optional<ReducedDecoding> decoded;
  bool may_miss = false;           ///< attributes, or --missing, say what is missing
  std::int64_t missing_fill = 0;   ///< by _FillValue, missing_value or --missing
  std::int64_t missing_range = 0;  ///< outside of what is valid
  std::int64_t nans = 0;
  std::int64_t positive_infinities = 0;
  std::int64_t negative_infinities = 0;
  std::vector<ReducedOperation> operations;
  std::vector<ReducedArray> arrays;     ///< the results with --axis, instead of `operations`
  std::optional<ReducedGroups> groups;  ///< the results with --by, instead of `operations`
  std::optional<KeptState> kept;        ///< the results are of its arrays, too
  double wall_s = 0;                    ///< since the start of the run
  double work_s = 0;                    ///< part of wall_s, from the first slice to the last
  bool found_complete = false;          ///< the output was complete before this run
  std::int64_t found_slices = 0;        ///< finished by an earlier run; not counted in `ranks`
  InFlight in_flight;                   ///< repeated slices, or items with --axis
  std::vector<RankReport> ranks;
};

/// "" if the output was complete before.
std::string to_table(const ReduceReport& run);
/// The values alone, one a line.
std::string to_answers(const ReduceReport& run);
std::string to_json(const ReduceReport& run);

/// Seconds that the workers spent reducing, without the time for reading.
double reduce_s(const RankReport& rank);

}  // namespace tessera::report
