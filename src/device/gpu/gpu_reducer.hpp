// A reducer on a GPU. A device has several: while one copies, another one computes, and the threads
// of the others read.
#pragma once

#include <memory>
#include <vector>

#include "device/gpu/array_stream.hpp"
#include "device/gpu/element_memory.hpp"
#include "device/gpu/group_partials.hpp"
#include "device/reducer.hpp"

namespace tessera::device::gpu {

class GpuReducer : public Reducer {
 public:
  GpuReducer(std::unique_ptr<ArrayStream> stream, const statistics::ReductionSpec& spec);

  std::size_t batch_bytes() const override { return kMostBytes; }
  /// Page-locked memory, or ordinary memory if there is no more of it: slower, with the same
  /// results.
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override;
  void reduce(std::span<const std::byte> elements, const statistics::Indexing& indexing,
              statistics::Partial& partial) override;
  void add_pairs(std::span<const std::byte> x, std::span<const std::byte> y,
                 const statistics::ReductionSpec& spec, statistics::PairSums& sums) override;
  void reduce_pairs(std::span<const std::byte> x, std::span<const std::byte> y,
                    const statistics::Indexing& indexing, const statistics::ReductionSpec& spec,
                    statistics::Partial& partial) override;
  void count(std::span<const std::byte> elements, const statistics::HistogramBins& bins,
             std::span<std::int64_t> counts) override;
  bool generates(const job::ArrayInput& input) const override { return input.is_generated(); }
  void reduce_generated(const statistics::GeneratedElements& generated,
                        const statistics::Indexing& indexing,
                        statistics::Partial& partial) override;
  void reduce_generated_pairs(const statistics::GeneratedElements& x,
                              const statistics::GeneratedElements& y,
                              const statistics::Indexing& indexing,
                              const statistics::ReductionSpec& spec,
                              statistics::Partial& partial) override;
  void count_generated(const statistics::GeneratedElements& generated,
                       const statistics::HistogramBins& bins,
                       std::span<std::int64_t> counts) override;

  static constexpr std::size_t kMostBytes = ElementMemory::kMostBytes;

 private:
  static std::int64_t with_bytes(const statistics::ReductionSpec& spec) {
    return static_cast<std::int64_t>(base::element_bytes(spec.with_type));
  }
  std::int64_t elements_at_once(std::int64_t elements, std::int64_t bytes_each);
  /// Calls work(first, count) for parts that fit on the device.
  template <class Work>
  void for_each_part(std::int64_t count, std::int64_t bytes_each, const Work& work);
  void copy_pairs(std::span<const std::byte> x, std::span<const std::byte> y);
  LaunchResult read_result(std::int64_t elements);
  void add_pairs_on_device(std::int64_t elements, const statistics::ReductionSpec& spec,
                           statistics::PairSums& sums);
  void reduce_on_device(std::int64_t elements, std::span<const std::byte> in_host,
                        const statistics::Indexing& indexing, statistics::Partial& partial);
  void count_on_device(std::int64_t elements);
  void use_bins(const statistics::HistogramBins& bins);
  void add_bins(std::span<std::int64_t> counts);

  std::unique_ptr<ArrayStream> stream_;
  statistics::ReductionSpec spec_;
  std::int64_t element_bytes_;
  ElementMemory element_memory_;
  std::vector<double> edges_;  ///< edges that the stream currently has
};

}  // namespace tessera::device::gpu
