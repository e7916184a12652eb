#include "reduce/input/box_reader.hpp"

#include <cstring>
#include <vector>

#include "base/element.hpp"
#include "plan/piece_boxes.hpp"

namespace tessera::reduce {
namespace {

/// Index of the element at `at` in the box, in C order.
std::int64_t index_in(const plan::Box& box, const plan::Shape& at) {
  std::int64_t place = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    place = place * box.extent[d] + at[d] - box.origin[d];
  }
  return place;
}

/// Copies the intersection of the boxes from `from` to `to`, row by row.
void copy_common(std::span<const std::byte> from, const plan::Box& from_box,
                 std::span<std::byte> to, const plan::Box& to_box, std::size_t element_bytes) {
  const plan::Box both = plan::common(from_box, to_box);
  const std::size_t row_bytes = static_cast<std::size_t>(both.extent.back()) * element_bytes;
  plan::Shape at = both.origin;
  for (std::int64_t rows = both.elements() / both.extent.back(); rows > 0; --rows) {
    std::memcpy(to.data() + static_cast<std::size_t>(index_in(to_box, at)) * element_bytes,
                from.data() + static_cast<std::size_t>(index_in(from_box, at)) * element_bytes,
                row_bytes);
    for (std::size_t d = at.size() - 1; d-- > 0;) {
      if (++at[d] < both.origin[d] + both.extent[d]) break;
      at[d] = both.origin[d];
    }
  }
}

/// The chunks of one file. Its first piece has the number `first_piece` in the joined array.
struct Chunks {
  const plan::ArrayPieces& pieces;
  std::int64_t first_piece = 0;
};

void read_chunks(const Chunks& chunks, const plan::Box& box, std::size_t element_bytes,
                 PieceReader& reader, std::span<std::byte> elements) {
  const std::vector<std::int64_t> numbers = plan::pieces_meeting(chunks.pieces, box);
  std::size_t end_of_row = 0;  // end of a run of consecutive numbers
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i == end_of_row) {
      do ++end_of_row;
      while (end_of_row < numbers.size() && numbers[end_of_row] == numbers[end_of_row - 1] + 1);
    }
    const auto chunk = reader.read(chunks.first_piece + numbers[i],
                                   chunks.first_piece + numbers[end_of_row - 1] + 1);
    copy_common(chunk, chunks.pieces.box(numbers[i]), elements, box, element_bytes);
  }
}

}  // namespace

void read_box(const store::ArraySource& source, const plan::Box& box, PieceReader& reader,
              std::span<std::byte> elements) {
  if (elements.empty()) return;
  const plan::ArrayPieces& pieces = source.pieces();
  const std::size_t element_bytes = base::element_bytes(source.info().type);
  if (!pieces.is_joined()) {
    if (source.chunk_coding(0) == nullptr) return source.read_box(box, elements);
    return read_chunks({pieces}, box, element_bytes, reader, elements);
  }
  for (const plan::PartBox& own : plan::parts_of(pieces, box)) {
    const std::size_t bytes = static_cast<std::size_t>(own.box.elements()) * element_bytes;
    const std::int64_t first_piece = pieces.first_piece(own.part);
    if (source.chunk_coding(first_piece) != nullptr) {
      read_chunks({pieces.part(own.part), first_piece}, own.box, element_bytes, reader,
                  elements.first(bytes));
    } else {
      plan::Box whole = own.box;
      whole.origin.front() += pieces.first_row(own.part);
      source.read_box(whole, elements.first(bytes));
    }
    elements = elements.subspan(bytes);
  }
}

}  // namespace tessera::reduce
