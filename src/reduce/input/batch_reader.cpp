#include "reduce/input/batch_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::reduce {

BatchReader::BatchReader(const store::ArraySource& source,
                         std::unique_ptr<device::HostBuffer> memory)
    : source_(source),
      element_bytes_(base::element_bytes(source.info().type)),
      memory_(std::move(memory)),
      reader_(source, 0) {}

Batch BatchReader::read(std::int64_t first, std::int64_t end) {
  const plan::ArrayPieces& pieces = source_.pieces();
  first_piece_ = first;
  first_elements_.clear();
  std::int64_t elements = 0;
  bool in_order = pieces.in_order();
  std::span<std::byte> room = memory_->bytes();
  for (std::int64_t piece = first; piece < end; ++piece) {
    const std::int64_t more = pieces.elements(piece);
    const std::size_t bytes = static_cast<std::size_t>(more) * element_bytes_;
    if (bytes > room.size()) break;
    if (source_.chunk_coding(piece) == nullptr) {
      source_.read(piece, room.first(bytes));
    } else {
      const auto decoded = reader_.read(piece, end);
      std::memcpy(room.data(), decoded.data(), bytes);
    }
    if (elements > 0 && more > 0) in_order &= pieces.index(piece, 0) > index(elements - 1);
    first_elements_.push_back(elements);
    elements += more;
    room = room.subspan(bytes);
  }
  return {.pieces = static_cast<std::int64_t>(first_elements_.size()),
          .elements = memory_->bytes().first(static_cast<std::size_t>(elements) * element_bytes_),
          .indexing = {.of = [this](std::int64_t element) { return index(element); },
                       .in_order = in_order}};
}

std::int64_t BatchReader::index(std::int64_t element) const {
  const auto above = std::ranges::upper_bound(first_elements_, element);
  const std::int64_t piece = above - first_elements_.begin() - 1;
  return source_.pieces().index(first_piece_ + piece,
                                element - first_elements_[static_cast<std::size_t>(piece)]);
}

}  // namespace tessera::reduce
