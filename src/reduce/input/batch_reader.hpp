// Pieces of an array one behind the other in memory that a device takes elements from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "reduce/input/piece_reader.hpp"
#include "statistics/partial.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Some pieces in a row as one. The indices are good until the next one is read.
struct Batch {
  std::int64_t pieces = 0;
  std::span<const std::byte> elements;
  statistics::Indexing indexing;
};

/// One per worker thread.
class BatchReader {
 public:
  /// Reads into `memory`, which has room for the largest piece.
  BatchReader(const store::ArraySource& source, std::unique_ptr<device::HostBuffer> memory);

  /// Pieces from `first` on, before `end`, as many as there is room for. What lies in a file as it
  /// is wanted goes there straight. Throws as PieceReader.
  Batch read(std::int64_t first, std::int64_t end, PieceReader& reader);

 private:
  std::int64_t index(std::int64_t element) const;

  const store::ArraySource& source_;
  std::size_t element_bytes_;
  std::unique_ptr<device::HostBuffer> memory_;
  std::int64_t first_piece_ = 0;
  std::vector<std::int64_t> first_elements_;  ///< of each piece of the batch
};

}  // namespace tessera::reduce
