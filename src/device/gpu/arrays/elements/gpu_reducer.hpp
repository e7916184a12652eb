// A reducer on a GPU. A device has several: while one copies, another one computes, and the threads
// of the others read.
#pragma once

#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "device/gpu/arrays/elements/block_records.hpp"
#include "device/gpu/arrays/order/key_launches.hpp"
#include "device/gpu/arrays/stream/reducer_on_queue.hpp"
#include "device/reducer.hpp"

namespace tessera::device::gpu {

class GpuReducer : public ReducerOnQueue<Reducer> {
 public:
  GpuReducer(std::unique_ptr<ArrayStream> stream, const statistics::ReductionSpec& spec,
             std::size_t max_bytes = kMaxBytes);

  std::size_t batch_bytes() const override { return kMaxBytes; }
  void reduce(const statistics::Elements& elements, const statistics::Indexing& indexing,
              statistics::Partial& partial) override;
  void add_pairs(const statistics::Elements& x, const statistics::Elements& y,
                 const statistics::ReductionSpec& spec, statistics::PairSums& sums) override;
  void reduce_pairs(const statistics::Elements& x, const statistics::Elements& y,
                    const statistics::Indexing& indexing, const statistics::ReductionSpec& spec,
                    statistics::Partial& partial) override;
  void count(const statistics::Elements& elements, const statistics::HistogramBins& bins,
             std::span<std::int64_t> counts) override;
  void tally(const statistics::Elements& elements, const statistics::Indexing& indexing,
             const statistics::KeyRequest& request, statistics::KeyTally& tally) override;

 private:
  static std::int64_t with_bytes(const statistics::ReductionSpec& spec) {
    return static_cast<std::int64_t>(base::element_bytes(spec.with_type));
  }
  static std::size_t bytes_of(std::int64_t elements, std::int64_t bytes_each) {
    return aligned(static_cast<std::size_t>(elements * bytes_each));
  }
  std::span<const std::byte> bytes_of(const statistics::Elements& part);
  /// Calls work(first, part) for parts that fit on the device, with each part there, and behind it
  /// as much memory as `room` says.
  template <class Work>
  void for_each_part(const statistics::Elements& elements, const KeyLimits& room, const Work& work);
  /// The same with the elements of y behind those of x, and work(first, part of x).
  template <class Work>
  void for_each_pair(const statistics::Elements& x, const statistics::Elements& y,
                     const statistics::ReductionSpec& spec, const Work& work);
  /// Reduces elements where they are.
  void reduce_resident(const statistics::Elements& elements, const statistics::Indexing& indexing,
                       statistics::Partial& partial);
  LaunchResult read_result(std::int64_t elements);
  void add_pairs_on_device(std::int64_t elements, const statistics::ReductionSpec& spec,
                           statistics::PairSums& sums);
  void reduce_on_device(const statistics::Elements& part, const statistics::Indexing& indexing,
                        statistics::Partial& partial);
  void count_on_device(std::int64_t elements);
  void prepare_stream() override;
  void use_bins(const statistics::HistogramBins& bins);
  void add_bins(std::span<std::int64_t> counts);

  statistics::ReductionSpec spec_;
  std::int64_t element_bytes_;
  base::Bytes evaluated_;
  std::vector<double> edges_;  ///< edges that the stream currently has
};

}  // namespace tessera::device::gpu
