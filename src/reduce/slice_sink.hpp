// Merges the partial results of the slices on the gather rank.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/bytes.hpp"
#include "farm/work.hpp"
#include "reduce/slice_counts.hpp"
#include "statistics/partial.hpp"
#include "store/reduce_checkpoint.hpp"

namespace tessera::reduce {

/// The result of a slice, or of all slices.
struct SliceResult {
  statistics::Partial partial;
  std::vector<std::int64_t> histogram;  ///< empty without one

  void merge(const SliceResult& other);
};

/// Native byte order and layout: the reader is the same program on the same machine type.
base::Bytes encode(const SliceResult& result);
SliceResult decode_slice_result(std::span<const std::byte> bytes);

/// The message that a worker returns for a slice: its number of elements and its result.
base::Bytes slice_message(std::int64_t elements, const SliceResult& result);

/// Merges slice results in the order of arrival; the total is the same for any order. A slice that
/// arrives twice counts once.
class ReduceSink : public farm::Sink {
 public:
  /// Starts from the checkpoint `found`, or from nothing if it is null.
  explicit ReduceSink(const store::ReduceCheckpoint* found);

  /// Begins a pass over `slices` slices. If the checkpoint is of this pass, its slices are
  /// finished.
  void begin(std::int64_t pass, std::int64_t slices);
  const std::vector<bool>& finished() const { return finished_; }

  void put(farm::ResultChunk result_chunk) override;
  /// Returns `blank` filled with the current state. Thread-safe.
  store::ReduceCheckpoint checkpoint(store::ReduceCheckpoint blank) const;

  const SliceResult& all() const { return all_; }
  /// By rank: the slices that counted, in all passes of this run.
  const std::map<int, ReducedCounts>& reduced() const { return reduced_; }
  std::int64_t found_slices() const { return found_slices_; }

 private:
  mutable std::mutex mutex_;
  SliceResult all_;
  std::map<int, ReducedCounts> reduced_;
  std::int64_t pass_ = 0;
  std::vector<bool> finished_;
  const store::ReduceCheckpoint* found_;
  std::int64_t found_slices_ = 0;  ///< slices of the checkpoint, in all passes
};

}  // namespace tessera::reduce
