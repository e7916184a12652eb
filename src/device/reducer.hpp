// The reductions of a device over whole arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "statistics/histogram.hpp"
#include "statistics/partial.hpp"

namespace tessera::device {

class HostBuffer;

/// One stream of reductions on a device, driven by one thread. Throws DeviceError when the device
/// fails; what it was to add to is then worth nothing.
class Reducer {
 public:
  virtual ~Reducer() = default;
  /// Adds `elements`, of the type that the spec has and in this machine's byte order, to `partial`.
  virtual void reduce(std::span<const std::byte> elements, const statistics::Indexing& indexing,
                      statistics::Partial& partial) = 0;
  /// Adds the products of elements of the two types of the spec, as many of each; one by one,
  /// unless a device knows better.
  virtual void add_pairs(std::span<const std::byte> x, std::span<const std::byte> y,
                         const statistics::ReductionSpec& spec, statistics::PairSums& sums);
  /// add_pairs() and reduce() of x, for which it travels once.
  virtual void reduce_pairs(std::span<const std::byte> x, std::span<const std::byte> y,
                            const statistics::Indexing& indexing,
                            const statistics::ReductionSpec& spec, statistics::Partial& partial);
  /// Adds to counts[k] how many of `elements`, as f64, are in bin k.
  virtual void count(std::span<const std::byte> elements, const statistics::HistogramBins& bins,
                     std::span<std::int64_t> counts) = 0;

  /// Elements that are best reduced at once; 0 = as they come, while they are in the cache.
  virtual std::size_t batch_bytes() const { return 0; }
  /// Memory from which the device takes elements without a detour. Lives no longer than this.
  virtual std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes);
  /// Whether the device makes the elements of that array itself, as generate() does, so that none
  /// travel; the next three are for that only.
  virtual bool generates(const job::ArrayInput&) const { return false; }
  virtual void reduce_generated(const statistics::GeneratedElements& generated,
                                const statistics::Indexing& indexing, statistics::Partial& partial);
  virtual void reduce_generated_pairs(const statistics::GeneratedElements& x,
                                      const statistics::GeneratedElements& y,
                                      const statistics::Indexing& indexing,
                                      const statistics::ReductionSpec& spec,
                                      statistics::Partial& partial);
  virtual void count_generated(const statistics::GeneratedElements& generated,
                               const statistics::HistogramBins& bins,
                               std::span<std::int64_t> counts);
};

}  // namespace tessera::device
