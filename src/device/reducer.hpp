// The interface of reductions of whole arrays on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "statistics/histogram.hpp"
#include "statistics/partial.hpp"

namespace tessera::device {

class HostBuffer;

/// One stream of reductions on a device, driven by one thread. Throws DeviceError if the device
/// fails; the results that it was adding to are then invalid.
class Reducer {
 public:
  virtual ~Reducer() = default;
  /// Adds `elements`, of the spec's type and in this machine's byte order, to `partial`.
  virtual void reduce(std::span<const std::byte> elements, const statistics::Indexing& indexing,
                      statistics::Partial& partial) = 0;
  /// Adds the products x[i] y[i]; x has the spec's type, y its second type, with the same number of
  /// elements. The default multiplies one by one; devices override it.
  virtual void add_pairs(std::span<const std::byte> x, std::span<const std::byte> y,
                         const statistics::ReductionSpec& spec, statistics::PairSums& sums);
  /// As add_pairs(), and reduce() of x; x is transferred to the device only once.
  virtual void reduce_pairs(std::span<const std::byte> x, std::span<const std::byte> y,
                            const statistics::Indexing& indexing,
                            const statistics::ReductionSpec& spec, statistics::Partial& partial);
  /// Adds the number of `elements`, converted to f64, in bin k to counts[k].
  virtual void count(std::span<const std::byte> elements, const statistics::HistogramBins& bins,
                     std::span<std::int64_t> counts) = 0;

  /// Preferred bytes per call; 0 = small pieces, while they are in the cache.
  virtual std::size_t batch_bytes() const { return 0; }
  /// Memory from which the device copies fastest. Must not outlive this object.
  virtual std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes);
  /// Whether the device generates the elements of that array itself, with the same bits as
  /// generate(), so that none are transferred. Only then may the next three functions be called.
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
