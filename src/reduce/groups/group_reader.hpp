// Reads the elements of an array together with their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "reduce/groups/group_keys.hpp"
#include "reduce/input/piece_reader.hpp"
#include "statistics/partial.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Not thread-safe: one per worker thread.
class GroupReader {
 public:
  GroupReader(const store::ArraySource& x, const GroupKeys& keys);

  /// Receives some elements, the keys at the same places, column by column, and the places. Returns
  /// whether it wants others.
  using Visit = std::function<bool(std::span<const std::byte> elements,
                                   std::span<const std::span<const std::byte>> keys,
                                   const statistics::Indexing& indexing)>;
  /// Calls `visit` for the elements of a piece of x. Pieces up to `end` are expected next.
  void read(std::int64_t piece, std::int64_t end, const Visit& visit);
  /// Nothing that was visited is used any more.
  void release();

  static std::uint64_t memory_bytes(const store::ArraySource& x, const GroupKeys& keys);

 private:
  struct Column {
    const store::ArraySource* source;
    std::unique_ptr<PieceReader> reader;
    base::Bytes box;
  };

  void read_boxes(std::int64_t piece, std::int64_t end, const Visit& visit);

  const store::ArraySource& x_;
  PieceReader reader_;
  std::vector<Column> columns_;
  std::vector<std::span<const std::byte>> keys_;
  base::Bytes box_;
  bool same_pieces_;
};

}  // namespace tessera::reduce
