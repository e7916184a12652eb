#include "reduce/input/aligned_reader.hpp"

#include <algorithm>

#include "plan/piece_boxes.hpp"
#include "reduce/input/box_reader.hpp"

namespace tessera::reduce {
namespace {

std::size_t element_bytes(const store::ArraySource& array) {
  return base::element_bytes(array.info().type);
}

bool have_same_pieces(const store::ArraySource& x, const AlignedReader::Others& others) {
  return std::ranges::all_of(
      others, [&](const store::ArraySource* other) { return other->pieces() == x.pieces(); });
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

AlignedReader::AlignedReader(const store::ArraySource& x, const Others& others)
    : x_(x), spans_(others.size()), same_pieces_(have_same_pieces(x, others)) {
  for (const store::ArraySource* source : others) {
    others_.push_back({source, std::make_unique<PieceReader>(*source), {}});
  }
}

std::uint64_t AlignedReader::memory_bytes(const store::ArraySource& x, const Others& others) {
  std::uint64_t bytes = 0;
  std::uint64_t bytes_each = element_bytes(x);
  for (const store::ArraySource* other : others) {
    bytes += PieceReader::memory_bytes(*other);
    bytes_each += element_bytes(*other);
  }
  // Boxes, and the copies that reading them needs.
  if (have_same_pieces(x, others)) return bytes;
  return bytes + 2 * static_cast<std::uint64_t>(x.max_elements()) * bytes_each;
}

void AlignedReader::read(std::int64_t piece, std::int64_t end, std::span<const std::byte> elements,
                         const Visit& visit) {
  if (!same_pieces_) return read_boxes(piece, elements, visit);
  const plan::ArrayPieces& pieces = x_.pieces();
  for (std::size_t i = 0; i < others_.size(); ++i) {
    spans_[i] = others_[i].reader->read(piece, end);
  }
  visit(elements, spans_,
        {.of = [&pieces, piece](std::int64_t element) { return pieces.index(piece, element); },
         .in_order = pieces.in_order()});
}

void AlignedReader::read_boxes(std::int64_t piece, std::span<const std::byte> elements,
                               const Visit& visit) {
  const plan::ArrayPieces& pieces = x_.pieces();
  for (const plan::Box& box : plan::boxes_of(pieces, piece)) {
    const auto count = static_cast<std::size_t>(box.elements());
    for (std::size_t i = 0; i < others_.size(); ++i) {
      Other& other = others_[i];
      other.box.resize(count * element_bytes(*other.source));
      read_box(*other.source, box, *other.reader, other.box);
      spans_[i] = other.box;
    }
    const statistics::Indexing indexing{
        .of = [&](std::int64_t element) { return index_of(element, box, pieces.shape()); }};
    const std::size_t bytes = count * element_bytes(x_);
    if (pieces.in_order()) {
      if (!visit(elements.first(bytes), spans_, indexing)) return;
      elements = elements.subspan(bytes);
    } else {  // read x again, in the element order of the others
      box_.resize(bytes);
      x_.read_box(box, box_);
      if (!visit(box_, spans_, indexing)) return;
    }
  }
}

void AlignedReader::release() {
  for (Other& other : others_) other.reader->release();
}

}  // namespace tessera::reduce
