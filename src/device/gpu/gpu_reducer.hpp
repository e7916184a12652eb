// A stream of reductions on a GPU. A device has several of them: while one copies, another
// computes, and the threads of the others read.
#pragma once

#include <memory>
#include <vector>

#include "device/gpu/array_stream.hpp"
#include "device/reduction.hpp"

namespace tessera::device::gpu {

class GpuReducer : public Reducer {
 public:
  GpuReducer(std::unique_ptr<ArrayStream> stream, const ReductionSpec& spec);

  std::size_t batch_bytes() const override { return kMostBytes; }
  /// Page-locked, or plain where there is no more of that: slower, and as right.
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override;
  void reduce(std::span<const std::byte> elements, const Indexing& indexing,
              Partial& partial) override;
  void count(std::span<const std::byte> elements, const HistogramBins& bins,
             std::span<std::int64_t> counts) override;
  bool makes(const job::ArrayInput& input) const override { return input.is_generated(); }
  void reduce_made(const MadeElements& made, const Indexing& indexing, Partial& partial) override;
  void count_made(const MadeElements& made, const HistogramBins& bins,
                  std::span<std::int64_t> counts) override;

  /// Elements that are on the device at once: enough to hide launches and copies behind.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

 private:
  /// Elements of a launch, after growing the memory towards `elements`.
  std::int64_t elements_at_once(std::int64_t elements);
  void make(const MadeElements& made, std::int64_t first, std::int64_t count);
  void reduce_there(std::int64_t elements, std::span<const std::byte> in_host,
                    const Indexing& indexing, Partial& partial);
  void count_there(std::int64_t elements);
  void use_bins(const HistogramBins& bins);
  void add_bins(std::span<std::int64_t> counts);

  std::unique_ptr<ArrayStream> stream_;
  ReductionSpec spec_;
  std::int64_t element_bytes_;
  std::size_t no_room_for_bytes_ = 0;  ///< what the device had no room for; 0 = nothing yet
  std::vector<double> edges_;          ///< those that the stream has
};

}  // namespace tessera::device::gpu
