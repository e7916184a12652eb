// Slices of an array to partial results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "binding/rank_devices.hpp"
#include "device/device.hpp"
#include "farm/drop_in_hand.hpp"
#include "farm/work.hpp"
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
class ReduceWork : public farm::Work {
 public:
  /// Lanes and errors as open_reduce_lanes() has them.
  ReduceWork(const store::ArraySource& source, SliceSpec slice_spec, const job::ReduceJob& job,
             binding::RankDevices& devices);

  const SliceGrid& slices() const { return slices_; }
  /// Predicted, of each slice.
  std::vector<float> costs() const;

  int lanes() const override { return static_cast<int>(lanes_.size()); }
  int device_of_lane(int lane) const override { return at(lane).device; }
  bool lane_lost(int lane) const override { return devices_.lost(at(lane).device); }
  std::string lose_lane(int lane, const std::string& why) override {
    return devices_.lose(at(lane).device, why);
  }
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
  const ReduceLane& at(int lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
  // False where a stop came between.
  bool reduce_batches(std::int64_t first, std::int64_t end, ReduceLane& lane, SliceResult& result);
  bool reduce_pieces(std::int64_t first, std::int64_t end, ReduceLane& lane, SliceResult& result);
  void reduce_generated(std::int64_t first, std::int64_t end, ReduceLane& lane,
                        SliceResult& result);
  void add(std::span<const std::byte> elements, const statistics::Indexing& indexing,
           ReduceLane& lane, SliceResult& result) const;
  void add_pairs(std::int64_t piece, std::span<const std::byte> elements, ReduceLane& lane,
                 statistics::Partial& partial) const;

  const store::ArraySource& source_;
  SliceSpec slice_spec_;
  std::size_t element_bytes_;
  SliceGrid slices_;
  binding::RankDevices& devices_;
  std::vector<ReduceLane> lanes_;
  farm::DropInHand drop_in_hand_;
};

}  // namespace tessera::reduce
