#include "reduce/input/batch_reader.hpp"

#include <algorithm>
#include <utility>

namespace tessera::reduce {

BatchReader::BatchReader(const store::ArraySource& source,
                         std::unique_ptr<device::HostBuffer> memory,
                         std::unique_ptr<MappedReader> mapped, std::int64_t most_elements)
    : source_(source),
      element_bytes_(base::element_bytes(source.info().type)),
      memory_(std::move(memory)),
      mapped_(std::move(mapped)),
      room_(mapped_ ? std::min(most_elements, mapped_->use(memory_->bytes()))
                    : static_cast<std::int64_t>(memory_->bytes().size() / element_bytes_)),
      reader_(source, 0) {}

Batch BatchReader::read(std::int64_t first, std::int64_t end) {
  const plan::ArrayPieces& pieces = source_.pieces();
  first_piece_ = first;
  first_elements_.clear();
  std::int64_t elements = 0;
  bool in_order = pieces.in_order();
  for (std::int64_t piece = first; piece < end; ++piece) {
    const std::int64_t more = pieces.elements(piece);
    if (elements + more > room_) break;
    read_piece(piece, end, elements);
    if (elements > 0 && more > 0) in_order &= pieces.index(piece, 0) > index(elements - 1);
    first_elements_.push_back(elements);
    elements += more;
  }
  const auto read_elements = [&]() -> statistics::Elements {
    if (mapped_) return mapped_->elements(0, elements);
    return memory_->bytes().first(static_cast<std::size_t>(elements) * element_bytes_);
  };
  return {.pieces = static_cast<std::int64_t>(first_elements_.size()),
          .elements = read_elements(),
          .indexing = {.of = [this](std::int64_t element) { return index(element); },
                       .in_order = in_order}};
}

void BatchReader::read_piece(std::int64_t piece, std::int64_t end, std::int64_t place) {
  if (mapped_) return mapped_->read(piece, place);
  const auto room = memory_->bytes().subspan(
      static_cast<std::size_t>(place) * element_bytes_,
      static_cast<std::size_t>(source_.pieces().elements(piece)) * element_bytes_);
  if (source_.chunk_coding(piece) == nullptr) {
    source_.read(piece, room);
  } else {
    std::ranges::copy(reader_.read(piece, end), room.begin());
  }
}

std::int64_t BatchReader::index(std::int64_t element) const {
  const auto above = std::ranges::upper_bound(first_elements_, element);
  const std::int64_t piece = above - first_elements_.begin() - 1;
  return source_.pieces().index(first_piece_ + piece,
                                element - first_elements_[static_cast<std::size_t>(piece)]);
}

}  // namespace tessera::reduce
