// Merges the partial results of the slices on the gather rank.
#pragma once

#include <vector>

#include "reduce/item_sink.hpp"
#include "statistics/partial.hpp"

namespace tessera::reduce {

/// The result of a slice, or of all slices.
struct SliceResult {
  statistics::Partial partial;
  std::vector<std::int64_t> histogram;  ///< empty without one

  void merge(const SliceResult& other);
};

/// Native byte order and layout: the reader is the same program on the same machine type.
base::Bytes encode(const SliceResult& result);

/// Merges slice results in the order of arrival; the total is the same for any order.
class SliceSink : public ItemSink {
 public:
  /// Starts from the checkpoint `found`, or from nothing if it is null.
  explicit SliceSink(const store::ReduceCheckpoint* found);

  /// Begins a pass over `slices` slices. If the checkpoint is of this pass, its slices are
  /// finished.
  void begin(std::int64_t pass, std::int64_t slices);
  const SliceResult& all() const { return all_; }

 private:
  void add(std::int64_t slice, base::ByteReader& result) override;
  void fill(store::ReduceCheckpoint& state) const override;

  SliceResult all_;
  std::int64_t pass_ = 0;
  const store::ReduceCheckpoint* found_;
};

}  // namespace tessera::reduce
