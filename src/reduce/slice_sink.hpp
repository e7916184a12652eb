// Merges the partial results of the slices on the gather rank.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "reduce/item_sink.hpp"
#include "statistics/order/order_passes.hpp"
#include "statistics/partial.hpp"

namespace tessera::reduce {

using HistogramRange = std::pair<double, double>;

/// The request of a pass; the same on all ranks. passes.hpp derives it.
struct PassRequest {
  bool partial = false;                 ///< the components of the ReductionSpec
  bool histogram = false;               ///< its bins
  std::optional<HistogramRange> range;  ///< range of the histogram, once it is known
  statistics::KeyRequest keys;
  statistics::WeightRequest weights;

  /// Nothing is left to add up.
  bool done() const { return !partial && !histogram && !keys.any() && !weights.any(); }
  void write(base::ByteWriter& to) const;
  void read(base::ByteReader& from);
};

/// The result of a slice, or of all slices. In native byte order and layout: the reader is the same
/// program on the same machine type.
struct SliceResult {
  statistics::Partial partial;
  std::vector<std::int64_t> histogram;  ///< empty without one
  // Findings for the request of this pass.
  statistics::KeyTally keys;
  statistics::WeightTally weights;

  void merge(const SliceResult& other, const PassRequest& request);
  static auto members(auto& self) {
    return std::tie(self.partial, self.histogram, self.keys, self.weights);
  }
};

/// Adds the slices that another run has reduced. Returns false, and adds none, if they are of
/// another job, or if one of them is there already.
bool merge(store::ReduceCheckpoint& all, const store::ReduceCheckpoint& more);

/// Merges slice results in the order of arrival; the total is the same for any order.
class SliceSink : public ItemSink {
 public:
  /// Starts from the checkpoint `found`, or from nothing if it is null.
  explicit SliceSink(const store::ReduceCheckpoint* found);

  /// Begins a pass over `slices` slices, of which this run makes those of a share. If the
  /// checkpoint is of this pass, its slices are finished.
  void begin(std::int64_t pass, const PassRequest& request, std::int64_t slices,
             const job::Share& share = {});
  const SliceResult& all() const { return all_; }
  const statistics::OrderFindings& order() const { return found_order_; }
  /// The request of the pass of the checkpoint.
  const PassRequest& request() const { return request_; }
  /// next(request, all, findings) derives the request of the next pass from what this one found.
  template <class Next>
  PassRequest derive(const Next& next) {
    return next(request_, all_, found_order_);
  }

 private:
  void add(std::int64_t slice, base::ByteReader& result) override;
  void fill(store::ReduceCheckpoint& state) const override;

  SliceResult all_;
  PassRequest request_;
  statistics::OrderFindings found_order_;
  std::int64_t pass_ = 0;
  const store::ReduceCheckpoint* found_;
};

}  // namespace tessera::reduce
