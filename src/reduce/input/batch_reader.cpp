#include "reduce/input/batch_reader.hpp"

#include <algorithm>
#include <utility>

namespace tessera::reduce {

BatchReader::BatchReader(const store::ArraySource& source,
                         std::unique_ptr<device::HostBuffer> memory,
                         std::unique_ptr<MappedReader> mapped, std::int64_t max_elements)
    : source_(source),
      element_bytes_(base::element_bytes(source.info().type)),
      memory_(std::move(memory)),
      mapped_(std::move(mapped)),
      room_(mapped_ ? std::min(max_elements, mapped_->use(memory_->bytes()))
                    : static_cast<std::int64_t>(memory_->bytes().size() / element_bytes_)),
      reader_(source, 0) {}

Batch BatchReader::read(std::int64_t first, std::int64_t end) {
  const plan::ArrayPieces& pieces = source_.pieces();
  first_piece_ = first;
  first_elements_.clear();
  presence_.clear();
  statistics::MissingCounts missing;
  std::int64_t elements = 0;
  bool in_order = pieces.in_order();
  for (std::int64_t piece = first; piece < end; ++piece) {
    const std::int64_t more = pieces.elements(piece);
    if (elements + more > room_) break;
    read_piece(piece, end, elements);
    if (elements > 0 && more > 0) in_order &= pieces.index(piece, 0) > index(elements - 1);
    first_elements_.push_back(elements);
    elements += source_.info().missing ? compact(elements, more, missing) : more;
  }
  const auto read_elements = [&]() -> statistics::Elements {
    if (mapped_) return mapped_->elements(0, elements);
    return memory_->bytes().first(static_cast<std::size_t>(elements) * element_bytes_);
  };
  return {.pieces = static_cast<std::int64_t>(first_elements_.size()),
          .count = elements,
          .missing = missing,
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

std::int64_t BatchReader::compact(std::int64_t place, std::int64_t count,
                                  statistics::MissingCounts& missing) {
  const store::ArrayInfo& array = source_.info();
  const auto own = memory_->bytes().subspan(static_cast<std::size_t>(place) * element_bytes_,
                                            static_cast<std::size_t>(count) * element_bytes_);
  Presence& presence = presence_.emplace_back();
  presence.begin(static_cast<std::size_t>(count));
  missing += presence.leave_out(own, array.type, *array.missing);
  presence.settle();
  presence.take(own, array.type, own);
  return static_cast<std::int64_t>(presence.count());
}

std::int64_t BatchReader::index(std::int64_t element) const {
  const auto above = std::ranges::upper_bound(first_elements_, element);
  const std::int64_t piece = above - first_elements_.begin() - 1;
  std::int64_t place = element - first_elements_[static_cast<std::size_t>(piece)];
  if (!presence_.empty()) place = presence_[static_cast<std::size_t>(piece)].place(place);
  return source_.pieces().index(first_piece_ + piece, place);
}

}  // namespace tessera::reduce
