// Missing elements of reductions along axes: how many each output has, and the partial results
// without them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/missing_markers.hpp"
#include "plan/axis_plan.hpp"
#include "statistics/output_partials.hpp"

namespace tessera::statistics {

/// Floats are left to a device, which skips the markers as NaN (device_spec()); this class counts
/// the NaN that are elements, and tells both apart. Integers, which no device can skip, it adds
/// itself. Not thread-safe: one per worker thread.
class MissingOutputs {
 public:
  MissingOutputs(const OutputSpec& output_spec, const base::MissingMarkers& markers);

  /// The components that the device reduces.
  static OutputSpec device_spec(OutputSpec output_spec);
  /// Whether the device gets nothing.
  bool adds() const { return !base::is_floating(output_spec_.spec.type); }

  void begin(std::int64_t outputs);
  void add(std::span<const std::byte> elements, const plan::AxisPiece& piece);
  /// Changes the device's partial results since begin(), of `elements_each` elements of each
  /// output, into those of the elements that are there.
  void finish(std::int64_t elements_each, OutputPartials& partials);
  /// The same about the device's counts.
  SpecialCounts specials(const SpecialCounts& of_device) const;

 private:
  template <class T>
  void add_integers(std::span<const std::byte> elements, const plan::AxisPiece& piece);
  template <class T>
  void add_integer(T x, std::size_t output, std::int64_t index);
  template <class Word>
  void count_nans(std::span<const std::byte> elements, const plan::AxisPiece& piece);

  OutputSpec output_spec_;
  base::MissingMarkers markers_;
  OutputPartials integers_;
  MissingCounts missing_;
  std::int64_t nans_ = 0;              ///< that are elements
  std::vector<std::int64_t> nans_of_;  ///< by output; empty while there are none
  std::vector<std::int64_t> first_nan_;
};

}  // namespace tessera::statistics
