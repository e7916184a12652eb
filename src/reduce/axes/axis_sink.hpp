// Writes the tiles of the result to the output file, on the gather rank.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "reduce/axes/axis_state.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/slice_counts.hpp"
#include "store/arrays/array_writer.hpp"
#include "store/reduce_checkpoint.hpp"

namespace tessera::reduce {

/// Writes tiles as they arrive. A tile that is split over several items is written when all its
/// items have arrived. An item that arrives twice counts once.
class AxisSink : public farm::Sink {
 public:
  AxisSink(const AxisReduction& task, store::ArrayWriter& writer);
  /// Resumes from `found` if the file holds every tile that it lists as finished. Otherwise changes
  /// nothing and returns false.
  bool go_on(const store::ReduceCheckpoint& found);

  void put(farm::ResultChunk result_chunk) override;
  const std::vector<bool>& finished() const { return finished_; }
  /// Syncs the file and returns `blank` filled with the current state. Thread-safe.
  store::ReduceCheckpoint checkpoint(store::ReduceCheckpoint blank) const;

  const statistics::SpecialCounts& specials() const { return state_.specials; }
  /// By rank: the items that counted in this run.
  const std::map<int, ReducedCounts>& reduced() const { return reduced_; }

 private:
  void merge(const farm::ResultChunk& result_chunk, base::ByteReader& body);
  std::uint32_t write(std::int64_t tile, std::span<const std::byte> answers,
                      std::uint32_t checksum);
  bool is_written(const store::ReduceCheckpoint& found, const AxisState& state) const;
  std::uint32_t read_checksum(std::int64_t group) const;

  const AxisReduction& task_;
  store::ArrayWriter& writer_;
  mutable std::mutex mutex_;
  std::vector<bool> finished_;  ///< by item
  AxisState state_;
  std::map<int, ReducedCounts> reduced_;
};

}  // namespace tessera::reduce
