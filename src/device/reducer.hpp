// The interface of reductions of whole arrays on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/device.hpp"
#include "statistics/elements.hpp"
#include "statistics/histogram.hpp"
#include "statistics/order/key_tally.hpp"
#include "statistics/partial.hpp"

namespace tessera::device {

/// Reduces elements of arrays, which its users read in batches or leave to the device to generate.
class ElementReducer : public HostBuffers {
 public:
  /// Preferred bytes of a batch, in memory from make_host_buffer(); 0 = small pieces, while they
  /// are in the cache.
  virtual std::size_t batch_bytes() const { return 0; }
  /// Whether the device generates the elements of that array itself, with the same bits as
  /// generate(), so that none are transferred. Only then may a call get GeneratedElements.
  virtual bool generates(const job::ArrayInput&) const { return false; }
  /// Whether the device evaluates expressions itself, with the same bits as expression::Evaluator.
  /// Only then may a call get MappedElements.
  virtual bool evaluates() const { return false; }
  /// As Lane::peak_memory_bytes().
  virtual std::uint64_t peak_memory_bytes() { return 0; }
  /// To be called after a DeviceError. True if a new process drives the device; everything that was
  /// added to results which are not finished must then be added again.
  virtual bool restart() { return false; }
};

/// One stream of reductions on a device, driven by one thread. Throws DeviceError if the device
/// fails; the results that it was adding to are then invalid.
class Reducer : public ElementReducer {
 public:
  /// Adds `elements`, of the spec's type, to `partial`.
  virtual void reduce(const statistics::Elements& elements, const statistics::Indexing& indexing,
                      statistics::Partial& partial) = 0;
  /// Adds the products x[i] y[i]; x has the spec's type, y its second type, with the same number of
  /// elements. The default multiplies one by one; devices override it.
  virtual void add_pairs(const statistics::Elements& x, const statistics::Elements& y,
                         const statistics::ReductionSpec& spec, statistics::PairSums& sums);
  /// As add_pairs(), and reduce() of x; x is transferred to the device only once.
  virtual void reduce_pairs(const statistics::Elements& x, const statistics::Elements& y,
                            const statistics::Indexing& indexing,
                            const statistics::ReductionSpec& spec, statistics::Partial& partial);
  /// Adds the number of `elements`, converted to f64, in bin k to counts[k].
  virtual void count(const statistics::Elements& elements, const statistics::HistogramBins& bins,
                     std::span<std::int64_t> counts) = 0;
  /// Adds what the request asks about the keys of `elements` to `tally`, made for that request. NaN
  /// count only among the largest elements, and only if the request says so.
  virtual void tally(const statistics::Elements& elements, const statistics::Indexing& indexing,
                     const statistics::KeyRequest& request, statistics::KeyTally& tally) = 0;
};

}  // namespace tessera::device
