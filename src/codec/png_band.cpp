#include "codec/png_band.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>

#include "codec/igzip.hpp"
#include "codec/scratch.hpp"

namespace tessera::codec {
namespace {

constexpr std::size_t kFewestPixelBytes = 3;
/// Filtered bytes per deflate call: small enough that they and igzip's tokens stay in the L2 cache,
/// large enough that a new Huffman table and an empty window cost nothing.
// crossed by: OnBothSidesOfAPieceIsOneStream, ARowLargerThanAnyCacheIsFilteredInPieces
constexpr std::size_t kPieceBytes = 384 * 1024;

/// Produces the filtered bytes of a band, one piece at a time.
class BandFilter {
 public:
  BandFilter(std::span<const std::byte> rgb, std::size_t row_bytes, std::size_t pixel_bytes)
      : rgb_(rgb), row_bytes_(row_bytes), pixel_bytes_(pixel_bytes) {}

  /// Fills `piece` from the front; returns the number of bytes, 0 at the end of the band.
  std::size_t next(std::span<std::byte> piece);

 private:
  void filter(std::span<std::byte> to) const;

  std::span<const std::byte> rgb_;
  std::size_t row_bytes_;
  std::size_t pixel_bytes_;
  std::size_t row_begin_ = 0;
  std::size_t column_ = 0;
  bool type_written_ = false;
};

std::size_t BandFilter::next(std::span<std::byte> piece) {
  constexpr std::byte kSub{1};
  constexpr std::byte kUp{2};
  std::size_t filled = 0;
  while (filled < piece.size() && row_begin_ < rgb_.size()) {
    if (!type_written_) {
      piece[filled++] = row_begin_ == 0 ? kSub : kUp;
      type_written_ = true;
    }
    const std::size_t count = std::min(piece.size() - filled, row_bytes_ - column_);
    filter(piece.subspan(filled, count));
    filled += count;
    column_ += count;
    if (column_ == row_bytes_) {
      row_begin_ += row_bytes_;
      column_ = 0;
      type_written_ = false;
    }
  }
  return filled;
}

void BandFilter::filter(std::span<std::byte> to) const {
  const auto* from = reinterpret_cast<const std::uint8_t*>(rgb_.data()) + row_begin_ + column_;
  auto* filtered = reinterpret_cast<std::uint8_t*>(to.data());
  std::size_t i = 0;
  if (row_begin_ == 0) {
    for (; i < to.size() && column_ + i < pixel_bytes_; ++i) filtered[i] = from[i];
  }
  const std::size_t back = row_begin_ == 0 ? pixel_bytes_ : row_bytes_;
  for (; i < to.size(); ++i) filtered[i] = static_cast<std::uint8_t>(from[i] - (from - back)[i]);
}

std::size_t pieces_in(std::size_t bytes) {
  return bytes / kPieceBytes + 1;
}

/// Each row has one byte for its filter; a row has at least one pixel.
std::size_t filtered_bound(std::size_t rgb_bytes) {
  return rgb_bytes + rgb_bytes / kFewestPixelBytes;
}

std::size_t deflated_bound(std::size_t filtered_bytes) {
  return pieces_in(filtered_bytes) * Igzip::bound(kPieceBytes);
}

}  // namespace

struct PngBandEncoder::State {
  Igzip igzip;
  Scratch piece;
  Scratch deflated;
};

PngBandEncoder::PngBandEncoder() : state_(std::make_unique<State>()) {}
PngBandEncoder::~PngBandEncoder() = default;
PngBandEncoder::PngBandEncoder(PngBandEncoder&&) noexcept = default;
PngBandEncoder& PngBandEncoder::operator=(PngBandEncoder&&) noexcept = default;

PngBand PngBandEncoder::encode(std::span<const std::byte> rgb, std::int64_t width_px,
                               std::size_t pixel_bytes) {
  const std::size_t row_bytes = static_cast<std::size_t>(width_px) * pixel_bytes;
  PngBand band;
  const auto piece = state_->piece.take(kPieceBytes);
  const std::size_t filtered_bytes = rgb.size() + rgb.size() / row_bytes;
  const auto out = state_->deflated.take(deflated_bound(filtered_bytes));
  BandFilter filter(rgb, row_bytes, pixel_bytes);
  std::size_t size = 0;
  while (const std::size_t filled = filter.next(piece)) {
    const auto filtered = piece.first(filled);
    band.adler32 = libdeflate_adler32(band.adler32, filtered.data(), filtered.size());
    band.filtered_bytes += filled;
    size +=
        state_->igzip.deflate(filtered, Igzip::Ending::byte_boundary, out.subspan(size)).value();
  }
  band.deflated.assign(out.begin(), out.begin() + size);
  return band;
}

std::size_t PngBandEncoder::memory_bytes(std::size_t rgb_bytes) {
  const std::size_t deflated_and_result = 2 * deflated_bound(filtered_bound(rgb_bytes));
  return sizeof(State) + Igzip::memory_bytes() + kPieceBytes + deflated_and_result;
}

std::vector<std::byte> zlib_header() {
  return {std::byte{0x78}, std::byte{0x01}};
}

std::vector<std::byte> zlib_trailer(std::uint32_t adler32) {
  // The final block is empty, with fixed Huffman codes: 03 00.
  std::vector<std::byte> trailer = {std::byte{0x03}, std::byte{0x00}};
  for (int shift = 24; shift >= 0; shift -= 8) {
    trailer.push_back(static_cast<std::byte>(adler32 >> shift));
  }
  return trailer;
}

std::uint32_t adler32_join(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return static_cast<std::uint32_t>(
      adler32_combine(first, second, static_cast<z_off_t>(second_bytes)));
}

}  // namespace tessera::codec
