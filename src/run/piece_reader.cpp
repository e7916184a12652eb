#include "run/piece_reader.hpp"

#include <algorithm>
#include <cstring>

#include "base/byte_order.hpp"
#include "base/error.hpp"

namespace tessera::run {

void clip_chunk(std::span<std::byte> chunk, const job::Shape& chunk_shape, const job::Shape& extent,
                std::size_t element_bytes) {
  if (extent == chunk_shape) return;
  const std::int64_t row = extent.back();
  const std::int64_t rows = plan::element_count(extent) / row;
  const std::size_t row_bytes = static_cast<std::size_t>(row) * element_bytes;
  for (std::int64_t r = 0; r < rows; ++r) {
    // Place of the row's first element in the chunk.
    std::int64_t rest = r;
    std::int64_t place = 0;
    std::int64_t stride = chunk_shape.back();
    for (std::size_t d = extent.size() - 1; d-- > 0;) {
      place += rest % extent[d] * stride;
      rest /= extent[d];
      stride *= chunk_shape[d];
    }
    std::memmove(chunk.data() + static_cast<std::size_t>(r) * row_bytes,
                 chunk.data() + static_cast<std::size_t>(place) * element_bytes, row_bytes);
  }
}

PieceReader::PieceReader(const store::ArraySource& source)
    : source_(source), element_bytes_(base::element_bytes(source.info().type)) {
  elements_.resize(static_cast<std::size_t>(source.most_elements()) * element_bytes_);
}

std::uint64_t PieceReader::memory_bytes(const store::ArraySource& source) {
  const auto bytes =
      static_cast<std::uint64_t>(source.most_elements()) * base::element_bytes(source.info().type);
  // Of chunks also stored bytes and the decoder's planes.
  return 3 * bytes;
}

std::span<const std::byte> PieceReader::read(std::int64_t piece) {
  if (const store::ChunkCoding* const coding = source_.coding(piece)) return decode(piece, *coding);
  const auto elements = static_cast<std::size_t>(source_.pieces().elements(piece));
  const auto bytes = std::span(elements_).first(elements * element_bytes_);
  source_.read(piece, bytes);
  return bytes;
}

std::span<const std::byte> PieceReader::decode(std::int64_t piece,
                                               const store::ChunkCoding& coding) {
  const auto bytes = std::span(elements_).first(
      static_cast<std::size_t>(source_.pieces().elements(piece)) * element_bytes_);
  std::uint32_t filter_mask = 0;
  if (!source_.read_stored(piece, stored_, filter_mask)) {
    for (std::size_t at = 0; at < bytes.size(); at += element_bytes_) {
      std::ranges::copy(coding.fill, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return bytes;
  }
  const auto chunk = std::span(elements_).first(
      static_cast<std::size_t>(plan::element_count(coding.chunk)) * element_bytes_);
  const store::ChunkPlace place = source_.place(piece);
  try {
    if (!decoder_) decoder_.emplace(source_.info().type);
    decoder_->decode(stored_, filter_mask, chunk);
  } catch (const base::Error& error) {
    throw base::run_error("{}: chunk at [{}]: {}", place.array, fmt::join(place.box.origin, ", "),
                          error.what());
  }
  clip_chunk(chunk, coding.chunk, place.box.extent, element_bytes_);
  if (coding.swap_bytes) base::swap_byte_order(bytes, element_bytes_);
  return bytes;
}

}  // namespace tessera::run
