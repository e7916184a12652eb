#include "reduce/groups/group_items.hpp"

#include <algorithm>

namespace tessera::reduce {
namespace {

/// Slices of an item. The fewer the items, the fewer partial results of a group are merged.
// not crossed: speed only
constexpr std::int64_t kMaxItemSlices = 32;

}  // namespace

std::vector<PieceRange> GroupItems::list() const {
  std::vector<PieceRange> items;
  for (const PieceRange& range : ranges) {
    for (std::int64_t first = range.first; first < range.end; first += pieces_each) {
      const std::int64_t skipped = first == range.first ? range.skipped : 0;
      items.push_back({first, std::min(first + pieces_each, range.end), skipped});
    }
  }
  return items;
}

std::int64_t counted_pieces(const store::ArraySource& source, const job::ReduceJob& job,
                            std::int64_t lanes) {
  const plan::ArrayPieces& pieces = source.pieces();
  const std::int64_t piece_bytes = std::max<std::int64_t>(
      1,
      pieces.max_elements() * static_cast<std::int64_t>(base::element_bytes(source.info().type)));
  const std::int64_t most = std::max<std::int64_t>(
      1, kMaxItemSlices * static_cast<std::int64_t>(job.slice_bytes) / piece_bytes);
  const std::int64_t even = (pieces.count() + lanes - 1) / std::max<std::int64_t>(1, lanes);
  return std::clamp<std::int64_t>(even, 1, most);
}

std::int64_t pieces_of(const store::ArraySource& source, std::int64_t elements, std::int64_t most) {
  const std::int64_t each = std::max<std::int64_t>(1, source.pieces().max_elements());
  return std::clamp<std::int64_t>(elements / each, 1, most);
}

}  // namespace tessera::reduce
