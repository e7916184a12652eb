// Reads consecutive pieces of an array into memory that a device copies from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "reduce/input/mapped_reader.hpp"
#include "reduce/input/piece_reader.hpp"
#include "reduce/input/presence.hpp"
#include "statistics/elements.hpp"
#include "statistics/partial.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Consecutive pieces as one range of elements. Elements and indexing are valid until the next
/// read.
struct Batch {
  std::int64_t pieces = 0;
  std::int64_t count = 0;             ///< count of the elements, without missing ones
  statistics::MissingCounts missing;  ///< that are left out
  statistics::Elements elements;
  statistics::Indexing indexing;
};

/// Not thread-safe: one per worker thread.
class BatchReader {
 public:
  /// Reads into `memory`, which must hold the largest piece. With `mapped`, a reader of the source,
  /// batches have its inputs, and at most `max_elements` elements.
  BatchReader(const store::ArraySource& source, std::unique_ptr<device::HostBuffer> memory,
              std::unique_ptr<MappedReader> mapped = nullptr, std::int64_t max_elements = 0);

  /// Reads as many of the pieces [first, end) as fit, at least one. Data that need no decoding are
  /// read directly into the memory. Throws the errors of PieceReader.
  Batch read(std::int64_t first, std::int64_t end);

 private:
  std::int64_t index(std::int64_t element) const;
  void read_piece(std::int64_t piece, std::int64_t end, std::int64_t place);
  /// Leaves the missing ones of the elements [place, place + count) out. Returns how many stay.
  std::int64_t compact(std::int64_t place, std::int64_t count, statistics::MissingCounts& missing);

  const store::ArraySource& source_;
  std::size_t element_bytes_;
  std::unique_ptr<device::HostBuffer> memory_;
  std::unique_ptr<MappedReader> mapped_;
  std::int64_t room_;   ///< elements of a batch
  PieceReader reader_;  ///< decodes chunks
  std::int64_t first_piece_ = 0;
  std::vector<std::int64_t> first_elements_;  ///< first element of each piece of the batch
  std::vector<Presence> presence_;  ///< presence of each piece, if elements may be missing
};

}  // namespace tessera::reduce
