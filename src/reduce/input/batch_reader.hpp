// Reads consecutive pieces of an array into memory that a device copies from.
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

/// Consecutive pieces as one range of elements. Elements and indexing are valid until the next
/// read.
struct Batch {
  std::int64_t pieces = 0;
  std::span<const std::byte> elements;
  statistics::Indexing indexing;
};

/// Not thread-safe: one per worker thread.
class BatchReader {
 public:
  /// Reads into `memory`, which must hold the largest piece.
  BatchReader(const store::ArraySource& source, std::unique_ptr<device::HostBuffer> memory);

  /// Reads as many of the pieces [first, end) as fit, at least one. Data that need no decoding are
  /// read directly into the memory. Throws the errors of PieceReader.
  Batch read(std::int64_t first, std::int64_t end);

 private:
  std::int64_t index(std::int64_t element) const;

  const store::ArraySource& source_;
  std::size_t element_bytes_;
  std::unique_ptr<device::HostBuffer> memory_;
  PieceReader reader_;  ///< decodes chunks
  std::int64_t first_piece_ = 0;
  std::vector<std::int64_t> first_elements_;  ///< first element of each piece of the batch
};

}  // namespace tessera::reduce
