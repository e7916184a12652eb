#include "reduce/input/piece_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/bools.hpp"
#include "base/byte_order.hpp"
#include "base/error.hpp"

namespace tessera::reduce {

void clip_chunk(std::span<std::byte> chunk, const job::Shape& chunk_shape, const job::Shape& extent,
                std::size_t element_bytes) {
  if (extent == chunk_shape) return;
  const std::int64_t row = extent.back();
  const std::int64_t rows = plan::element_count(extent) / row;
  const std::size_t row_bytes = static_cast<std::size_t>(row) * element_bytes;
  for (std::int64_t r = 0; r < rows; ++r) {
    // Index of the row's first element in the chunk.
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

PieceReader::PieceReader(const store::ArraySource& source, std::size_t view_bytes)
    : source_(source),
      element_bytes_(base::element_bytes(source.info().type)),
      view_bytes_(view_bytes) {}

std::uint64_t PieceReader::memory_bytes(const store::ArraySource& source) {
  const auto bytes =
      static_cast<std::uint64_t>(source.max_elements()) * base::element_bytes(source.info().type);
  // A chunk also needs memory for its stored bytes and for the decoder's planes.
  return 2 * bytes + std::max<std::uint64_t>(bytes, store::StoredChunks::kMaxBytes) +
         source.read_memory_bytes();
}

std::span<const std::byte> PieceReader::read(std::int64_t piece, std::int64_t end) {
  if (const auto* const coding = source_.chunk_coding(piece)) return decode(piece, end, *coding);
  if (piece != window_.next || piece >= window_.end) {
    release();
    open_window(piece, end);
  }
  ++window_.next;
  const std::size_t bytes =
      static_cast<std::size_t>(source_.pieces().elements(piece)) * element_bytes_;
  window_.bytes += bytes;
  if (view_) {
    const auto elements = window_.rest.first(bytes);
    window_.rest = window_.rest.subspan(bytes);
    return elements;
  }
  const auto elements = elements_.take(bytes);
  held_ = -1;
  source_.read(piece, elements);
  return elements;
}

void PieceReader::release() {
  if (window_.bytes > 0) {
    const double seconds = base::seconds_between(window_.begun, base::Clock::now());
    ways_.took(window_.way, seconds / static_cast<double>(window_.bytes));
  }
  window_ = {};
  view_.reset();
}

void PieceReader::open_window(std::int64_t piece, std::int64_t end) {
  const std::size_t piece_bytes =
      static_cast<std::size_t>(source_.pieces().elements(piece)) * element_bytes_;
  const std::size_t most = view_bytes_ / std::max<std::size_t>(1, piece_bytes);
  if (most == 0) {
    end = piece + 1;
  } else {
    end = std::min({end, piece + static_cast<std::int64_t>(most), source_.end_of_view(piece)});
  }
  window_ = {.next = piece, .end = end, .begun = base::Clock::now()};
  if (most == 0 || ways_.next() == copied) return;
  view_ = source_.view(piece, end);
  if (view_) {
    window_.way = viewed;
    window_.rest = view_->bytes;
  } else {
    ways_.took(viewed, std::numeric_limits<double>::infinity());
  }
}

const store::StoredChunk& PieceReader::stored_chunk(std::int64_t piece, std::int64_t end) {
  const auto held = [&] {
    return piece >= first_stored_ &&
           piece - first_stored_ < static_cast<std::int64_t>(stored_.chunks().size());
  };
  if (!held()) {
    first_stored_ = piece;
    try {
      source_.read_stored(piece, end, stored_);
    } catch (...) {
      stored_.clear();  // its entries may lack their bytes
      throw;
    }
  }
  return stored_.chunks().at(static_cast<std::size_t>(piece - first_stored_));
}

codec::ChunkDecoder& PieceReader::decoder_for(const codec::Filters& filters) {
  if (!decoder_ || decoded_ != filters) {
    decoder_.emplace(filters);
    decoded_ = filters;
  }
  return *decoder_;
}

std::span<const std::byte> PieceReader::decode(std::int64_t piece, std::int64_t end,
                                               const store::ChunkCoding& coding) {
  if (piece == held_) return held_elements_;
  held_ = -1;  // until it is decoded without an error
  held_elements_ = decode_anew(piece, end, coding);
  held_ = piece;
  return held_elements_;
}

std::span<const std::byte> PieceReader::decode_anew(std::int64_t piece, std::int64_t end,
                                                    const store::ChunkCoding& coding) {
  const auto chunk =
      elements_.take(static_cast<std::size_t>(plan::element_count(coding.chunk)) * element_bytes_);
  const auto bytes =
      chunk.first(static_cast<std::size_t>(source_.pieces().elements(piece)) * element_bytes_);
  const store::StoredChunk& stored = stored_chunk(piece, end);
  if (!stored.there) {
    source_.read_missing(piece, bytes);
    return bytes;
  }
  const bool is_boolean = source_.info().is_boolean;
  const bool as_it_is = stored.filter_mask == coding.no_filter() && !coding.swap_bytes &&
                        !is_boolean && bytes.size() == chunk.size() &&
                        stored.bytes.size() == chunk.size();
  if (as_it_is) {
    source_.check_decoded(piece, stored.bytes);
    return stored.bytes;
  }
  try {
    decoder_for(coding.filters).decode(stored.bytes, stored.filter_mask, chunk);
  } catch (const base::Error& error) {
    throw source_.damaged(piece, error.what());
  }
  clip_chunk(chunk, coding.chunk, source_.location(piece).extent, element_bytes_);
  if (coding.swap_bytes) base::swap_byte_order(bytes, element_bytes_);
  if (is_boolean) base::make_bools(bytes);
  source_.check_decoded(piece, bytes);
  return bytes;
}

}  // namespace tessera::reduce
