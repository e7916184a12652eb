// Partial results of slices to one, on the gather rank.
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

/// What is made of a slice, and of all.
struct SliceResult {
  statistics::Partial partial;
  std::vector<std::int64_t> histogram;  ///< empty without one

  void merge(const SliceResult& other);
};

/// For ranks of one machine type and one program.
base::Bytes encode(const SliceResult& result);
SliceResult decode_slice_result(std::span<const std::byte> bytes);

/// What comes back of a slice: how many elements it has, and what was made of them.
base::Bytes slice_message(std::int64_t elements, const SliceResult& result);

/// Merges what comes, in the order in which it comes: the result is the same in any. What comes
/// twice counts once.
class ReduceSink : public farm::Sink {
 public:
  /// Goes on with what was found, which may be null.
  explicit ReduceSink(const store::ReduceCheckpoint* found);

  /// A journey over so many slices begins; what was found before it is there.
  void begin(std::int64_t pass, std::int64_t slices);
  const std::vector<bool>& finished() const { return finished_; }

  void put(farm::ResultChunk result_chunk) override;
  /// `blank` with what there is by now. Any thread.
  store::ReduceCheckpoint checkpoint(store::ReduceCheckpoint blank) const;

  const SliceResult& all() const { return all_; }
  /// By rank; of what counted, in all journeys of this run.
  const std::map<int, ReducedCounts>& reduced() const { return reduced_; }
  std::int64_t found_slices() const { return found_slices_; }

 private:
  mutable std::mutex mutex_;
  SliceResult all_;
  std::map<int, ReducedCounts> reduced_;
  std::int64_t pass_ = 0;
  std::vector<bool> finished_;
  const store::ReduceCheckpoint* found_;
  std::int64_t found_slices_ = 0;  ///< not this run's, of all journeys
};

}  // namespace tessera::reduce
