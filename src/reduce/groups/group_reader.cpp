#include "reduce/groups/group_reader.hpp"

#include <algorithm>

#include "plan/piece_boxes.hpp"
#include "reduce/input/box_reader.hpp"

namespace tessera::reduce {
namespace {

bool have_same_pieces(const store::ArraySource& x, const GroupKeys& keys) {
  return std::ranges::all_of(keys.columns(), [&](const KeyColumn& column) {
    return column.source->pieces() == x.pieces();
  });
}

/// Index in the array of element `element` of a box, both counted in C order.
std::int64_t index_of(std::int64_t element, const plan::Box& box, const plan::Shape& shape) {
  std::int64_t index = 0;
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    index += (box.origin[d] + element % box.extent[d]) * stride;
    element /= box.extent[d];
    stride *= shape[d];
  }
  return index;
}

}  // namespace

GroupReader::GroupReader(const store::ArraySource& x, const GroupKeys& keys)
    : x_(x), reader_(x), same_pieces_(have_same_pieces(x, keys)) {
  for (const KeyColumn& column : keys.columns()) {
    const store::ArraySource& source = *column.source;
    columns_.push_back({&source, std::make_unique<PieceReader>(source), {}});
  }
  keys_.resize(columns_.size());
}

std::uint64_t GroupReader::memory_bytes(const store::ArraySource& x, const GroupKeys& keys) {
  std::uint64_t bytes = PieceReader::memory_bytes(x);
  std::uint64_t element_bytes = base::element_bytes(x.info().type);
  for (const KeyColumn& column : keys.columns()) {
    bytes += PieceReader::memory_bytes(*column.source);
    element_bytes += base::element_bytes(column.source->info().type);
  }
  // Boxes, and the copies that reading them needs.
  if (have_same_pieces(x, keys)) return bytes;
  return bytes + 2 * static_cast<std::uint64_t>(x.most_elements()) * element_bytes;
}

void GroupReader::read(std::int64_t piece, std::int64_t end, const Visit& visit) {
  if (!same_pieces_) return read_boxes(piece, end, visit);
  const plan::ArrayPieces& pieces = x_.pieces();
  const auto elements = reader_.read(piece, end);
  for (std::size_t k = 0; k < columns_.size(); ++k) keys_[k] = columns_[k].reader->read(piece, end);
  visit(elements, keys_,
        {.of = [&pieces, piece](std::int64_t element) { return pieces.index(piece, element); },
         .in_order = pieces.in_order()});
}

void GroupReader::read_boxes(std::int64_t piece, std::int64_t end, const Visit& visit) {
  const plan::ArrayPieces& pieces = x_.pieces();
  const std::size_t element_bytes = base::element_bytes(x_.info().type);
  std::span<const std::byte> elements = reader_.read(piece, end);
  for (const plan::Box& box : plan::boxes_of(pieces, piece)) {
    const auto count = static_cast<std::size_t>(box.elements());
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      Column& column = columns_[k];
      column.box.resize(count * base::element_bytes(column.source->info().type));
      read_box(*column.source, box, *column.reader, column.box);
      keys_[k] = column.box;
    }
    const statistics::Indexing indexing{
        .of = [&](std::int64_t element) { return index_of(element, box, pieces.shape()); }};
    if (pieces.in_order()) {
      if (!visit(elements.first(count * element_bytes), keys_, indexing)) return;
      elements = elements.subspan(count * element_bytes);
    } else {  // read x again, in the element order of the keys
      box_.resize(count * element_bytes);
      x_.read_box(box, box_);
      if (!visit(box_, keys_, indexing)) return;
    }
  }
}

void GroupReader::release() {
  reader_.release();
  for (Column& column : columns_) column.reader->release();
}

}  // namespace tessera::reduce
