// Reads the elements of other arrays of the same shape that belong to those of an array: the second
// array of dot, the keys of --by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "reduce/input/piece_reader.hpp"
#include "statistics/partial.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Not thread-safe: one per worker thread.
class AlignedReader {
 public:
  using Others = std::vector<const store::ArraySource*>;
  AlignedReader(const store::ArraySource& x, const Others& others);

  /// Receives some elements of x, as many of each other array at the same places, and the places.
  /// Returns whether it wants others.
  using Visit = std::function<bool(std::span<const std::byte> elements,
                                   std::span<const std::span<const std::byte>> others,
                                   const statistics::Indexing& indexing)>;
  /// Calls `visit` for all elements of a piece of x, which are `elements`. Pieces up to `end` are
  /// expected next.
  void read(std::int64_t piece, std::int64_t end, std::span<const std::byte> elements,
            const Visit& visit);
  /// Nothing that was visited is used any more.
  void release();

  /// Without the reader of x.
  static std::uint64_t memory_bytes(const store::ArraySource& x, const Others& others);

 private:
  struct Other {
    const store::ArraySource* source;
    std::unique_ptr<PieceReader> reader;
    base::Bytes box;
  };

  void read_boxes(std::int64_t piece, std::span<const std::byte> elements, const Visit& visit);

  const store::ArraySource& x_;
  std::vector<Other> others_;
  std::vector<std::span<const std::byte>> spans_;
  base::Bytes box_;
  bool same_pieces_;
};

}  // namespace tessera::reduce
