// Collects the results of items on the gather rank, for reductions with and without --axis.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/bytes.hpp"
#include "farm/work.hpp"
#include "job/image/render_job.hpp"
#include "store/reduce_checkpoint.hpp"

namespace tessera::reduce {

/// The part of a rank in the result.
struct ReducedCounts {
  std::int64_t items = 0;
  std::int64_t elements = 0;
};

/// An item that arrives twice counts once.
class ItemSink : public farm::Sink {
 public:
  void put(farm::ResultChunk result_chunk) final;
  /// Returns `blank` filled with the current state. Thread-safe.
  virtual store::ReduceCheckpoint checkpoint(store::ReduceCheckpoint blank) const;

  /// By item: whether it is finished, or left to another run.
  std::vector<bool> to_skip() const;
  /// How many are left to another run.
  std::int64_t left_out() const;
  /// By rank: the items that counted in this run.
  const std::map<int, ReducedCounts>& reduced() const { return reduced_; }
  /// Items that were finished by an earlier run.
  std::int64_t found_items() const { return found_items_; }

 protected:
  // All are called with the lock held.
  virtual void add(std::int64_t item, base::ByteReader& result) = 0;
  /// Called when an item is counted as finished. If it throws, a checkpoint of the state must still
  /// be right.
  virtual void make_room() {}
  virtual void fill(store::ReduceCheckpoint& state) const = 0;

  std::vector<bool> finished_;
  job::Share share_;  ///< the items that this run makes
  std::int64_t found_items_ = 0;

 private:
  mutable std::mutex mutex_;
  std::map<int, ReducedCounts> reduced_;
};

}  // namespace tessera::reduce
