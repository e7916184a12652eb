// Reductions over some axes of an array: many partial results at once, of the outputs of a tile
// (plan/axis_plan.hpp). Each output is defined as the answer about a whole array of its elements.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "plan/axis_plan.hpp"
#include "statistics/histogram.hpp"
#include "statistics/limb_columns.hpp"
#include "statistics/partial.hpp"
#include "statistics/partial_columns.hpp"

namespace tessera::statistics {

struct OutputSpec {
  ReductionSpec spec;
  std::optional<HistogramBins> bins;
};

/// What one or more pieces of a tile come to, in as few bytes as are needed: it travels, and merges
/// with others in any order.
struct OutputPartials : PartialColumns<OutputPartials, LimbColumns> {
  std::int64_t outputs = 0;
  std::int64_t elements = 0;  ///< that have been added to each output, NaN among them
  /// Of the elements, which are then not there; empty while there are none.
  std::vector<std::int64_t> missing;
  std::vector<std::int64_t> histogram;  ///< bins of one output behind those of another
  std::vector<IntegerSums> integers;

  void reset(const OutputSpec& output_spec, std::int64_t output_count);
  void merge(const OutputPartials& other);
  /// The same about one output, but for its histogram.
  Partial partial(const OutputSpec& output_spec, std::int64_t output) const;
  /// The inverse of partial(), for an output without elements so far. Of the sums, adds the finite
  /// part.
  void put(const OutputSpec& output_spec, std::int64_t output, const Partial& one);

  void write(base::ByteWriter& to) const;
  void read(base::ByteReader& from);

  /// Bound of what it takes for an output, and of an answer of one f64 or integer.
  static std::uint64_t bytes_each(const OutputSpec& output_spec);

 private:
  friend PartialColumns;
  template <class OfNumbers>
  static void for_each_own_column(const OfNumbers& numbers);
};

/// How many elements are not finite, of all outputs.
struct SpecialCounts {
  std::int64_t nans = 0;
  std::int64_t positive_infinities = 0;
  std::int64_t negative_infinities = 0;
  MissingCounts missing;
  SpecialCounts& operator+=(const SpecialCounts& other) {
    nans += other.nans;
    positive_infinities += other.positive_infinities;
    negative_infinities += other.negative_infinities;
    missing += other.missing;
    return *this;
  }
};

/// What answers depend on besides the elements.
struct AnswerParameters {
  std::int64_t elements_each = 0;  ///< that every output has had
  std::int64_t ddof = 0;
};

/// Adds what is not finite, as it is counted, to the sums of what is.
void add_specials(const ReductionSpec& spec, Partial& one);

}  // namespace tessera::statistics
