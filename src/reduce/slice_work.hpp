// Slices of an array to partial results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "binding/device_work.hpp"
#include "device/device.hpp"
#include "farm/grace_period.hpp"
#include "job/reduce_job.hpp"
#include "reduce/reducer_lanes.hpp"
#include "reduce/slice_sink.hpp"
#include "report/reduce_report.hpp"
#include "statistics/partial.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// The array's pieces, some of them at a time.
struct SliceGrid {
  std::int64_t pieces = 0;
  std::int64_t pieces_per_slice = 1;

  std::int64_t count() const { return (pieces + pieces_per_slice - 1) / pieces_per_slice; }
  std::int64_t first(std::int64_t slice) const { return slice * pieces_per_slice; }
};

/// What one journey over the array brings.
struct SliceSpec {
  statistics::ReductionSpec spec;
  bool partial = true;  ///< what the spec says, and not only the histogram
  std::optional<statistics::HistogramBins> bins;
  const store::ArraySource* with = nullptr;  ///< the other array, if the spec wants products
};

/// An item is a slice.
class ReduceWork : public binding::DeviceWork {
 public:
  /// Lanes and errors as open_reduce_lanes() has them.
  ReduceWork(const store::ArraySource& source, SliceSpec slice_spec, const job::ReduceJob& job,
             binding::RankDevices& devices);

  const SliceGrid& slices() const { return slices_; }
  /// Predicted, of each slice.
  std::vector<float> costs() const;

  report::Stage part_stage() const override { return report::Stage::compute; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<farm::Task> begin(std::int64_t item, int lane) override;

  /// Nothing if the run is to stop and there is no time for all of the slice.
  std::optional<SliceResult> reduce(std::int64_t slice, int lane);

  /// How many a slice has.
  std::int64_t elements(std::int64_t slice) const;

  /// After the farm: what this rank did, its threads as the farm says, but what it reduced, which
  /// is counted where it counts.
  report::RankReport report(std::vector<report::ThreadReport> threads) const;

 private:
  // False where a stop came between.
  bool reduce_batches(std::int64_t first, std::int64_t end, ReduceLane& lane, SliceResult& result);
  bool reduce_pieces(std::int64_t first, std::int64_t end, ReduceLane& lane, SliceResult& result);
  void reduce_generated(std::int64_t first, std::int64_t end, ReduceLane& lane,
                        SliceResult& result);
  /// `with`: of the other array, if they are to be reduced together.
  void add(const statistics::Elements& elements, const std::optional<statistics::Elements>& with,
           const statistics::Indexing& indexing, ReduceLane& lane, SliceResult& result) const;
  void add_pairs(std::int64_t piece, std::span<const std::byte> elements, ReduceLane& lane,
                 statistics::Partial& partial) const;

  const store::ArraySource& source_;
  SliceSpec slice_spec_;
  std::size_t element_bytes_;
  SliceGrid slices_;
  std::vector<ReduceLane> lanes_;
  farm::GracePeriod grace_;
};

}  // namespace tessera::reduce
