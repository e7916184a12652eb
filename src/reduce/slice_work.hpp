// Reduces slices of an array to partial results.
#pragma once

#include <optional>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "reduce/input/mapped_source.hpp"
#include "reduce/item_work.hpp"
#include "reduce/reducer_lanes.hpp"
#include "reduce/slice_sink.hpp"
#include "statistics/partial.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Divides the pieces of the array into slices of consecutive pieces.
struct SliceGrid {
  std::int64_t pieces = 0;
  std::int64_t pieces_per_slice = 1;

  std::int64_t count() const { return (pieces + pieces_per_slice - 1) / pieces_per_slice; }
  std::int64_t first(std::int64_t slice) const { return slice * pieces_per_slice; }
};

/// What one pass over the array computes.
struct SliceSpec {
  statistics::ReductionSpec spec;
  PassRequest request;
  std::optional<statistics::HistogramBins> bins;  ///< once their range is known
  const store::ArraySource* with = nullptr;       ///< the array of --with, or null
};

/// The work of a pass; an item is a slice.
class SliceWork : public ItemWork {
 public:
  /// Opens the lanes with open_reduce_lanes() and throws its errors.
  SliceWork(const store::ArraySource& source, SliceSpec slice_spec, const job::ReduceJob& job,
            binding::RankDevices& devices);
  ~SliceWork() override { devices_.drop_late_lanes(); }

  std::int64_t items() const override { return slices_.count(); }
  std::optional<base::Bytes> reduce(std::int64_t slice, int lane) override;

 private:
  // These return false if a stop request ended them early.
  bool reduce_batches(std::int64_t first, std::int64_t end, ReduceLane& lane, SliceResult& result);
  bool reduce_pieces(std::int64_t first, std::int64_t end, ReduceLane& lane, SliceResult& result);
  /// The elements of a piece that are there.
  void add_present(std::int64_t piece, std::span<const std::byte> elements, ReduceLane& lane,
                   SliceResult& result) const;
  bool reduce_blocks(const MappedSource& source, std::int64_t first, std::int64_t end,
                     ReduceLane& lane, SliceResult& result);
  void reduce_generated(std::int64_t first, std::int64_t end, ReduceLane& lane,
                        SliceResult& result);
  /// `with`: elements of the second array, if both are reduced together.
  void add(const statistics::Elements& elements, const std::optional<statistics::Elements>& with,
           const statistics::Indexing& indexing, ReduceLane& lane, SliceResult& result) const;
  void add_pairs(std::int64_t piece, std::int64_t end, std::span<const std::byte> elements,
                 ReduceLane& lane, statistics::Partial& partial) const;

  /// The source, if its elements can go from the first cache into the reducer.
  const MappedSource* source_of_blocks(const ReduceLane& lane) const;

  int open_late_lanes(int device);
  std::int64_t elements(std::int64_t slice) const;
  double read_s() const override { return total_read_s(lanes_); }
  std::vector<report::DeviceMemory> device_memory() const override {
    return memory_of(devices_, lanes_);
  }
  bool restart(int lane) override {
    return lanes_[static_cast<std::size_t>(lane)].reducer->restart();
  }

  const store::ArraySource& source_;
  SliceSpec slice_spec_;
  std::size_t element_bytes_;
  SliceGrid slices_;
  std::vector<ReduceLane> lanes_;
};

}  // namespace tessera::reduce
