#include "codec/blosc.hpp"

#include <algorithm>

#include "codec/blosclz.hpp"
#include "codec/lz4.hpp"
#include "codec/shuffle.hpp"
#include "codec/snappy.hpp"
#include "codec/stream_reader.hpp"

namespace tessera::codec {
namespace {

constexpr std::string_view kBloscFrame = "Blosc";

enum BloscFlags : unsigned {
  kShuffled = 1,
  kStored = 2,
  kBitShuffled = 4,
  kWhole = 16,  ///< a block is one stream
};

/// Compressors, in the upper bits of the flags.
enum BloscCompressor : unsigned { kBloscLz, kLz4, kSnappy, kZlib, kZstd };

}  // namespace

struct BloscDecoder::Head {
  unsigned version = 0;
  unsigned flags = 0;
  std::size_t element_bytes = 0;
  std::size_t raw_bytes = 0;
  std::size_t block_bytes = 0;
  std::size_t frame_bytes = 0;

  unsigned compressor() const { return flags >> 5; }
  /// Streams of a block of that size.
  std::size_t parts(std::size_t bytes) const {
    constexpr std::size_t kMostParts = 16;
    constexpr std::size_t kLeastElements = 128;
    const bool is_split = (flags & kWhole) == 0 && bytes == block_bytes &&
                          element_bytes <= kMostParts &&
                          block_bytes / element_bytes >= kLeastElements;
    return is_split ? element_bytes : 1;
  }

  static Head read(StreamReader& reader, std::size_t raw_bytes);
  void check(const StreamReader& reader, std::size_t stored_bytes, std::size_t raw_bytes) const;
};

BloscDecoder::Head BloscDecoder::Head::read(StreamReader& reader, std::size_t raw_bytes) {
  const std::size_t stored_bytes = reader.rest().size();
  Head head;
  head.version = reader.take_byte();
  reader.take_byte();  // of the compressor
  head.flags = reader.take_byte();
  head.element_bytes = reader.take_byte();
  head.raw_bytes = reader.take_little_endian<std::uint32_t>();
  head.block_bytes = reader.take_little_endian<std::uint32_t>();
  head.frame_bytes = reader.take_little_endian<std::uint32_t>();
  head.check(reader, stored_bytes, raw_bytes);
  return head;
}

void BloscDecoder::Head::check(const StreamReader& reader, std::size_t stored_bytes,
                               std::size_t expected_bytes) const {
  constexpr unsigned kLastVersion = 2;
  if (version == 0 || version > kLastVersion) {
    throw reader.bad(fmt::format("has version {}; 1 and 2 are known", version));
  }
  if (raw_bytes != expected_bytes) {
    throw reader.bad(
        fmt::format("claims {} bytes, not the {} of its chunk", raw_bytes, expected_bytes));
  }
  if (frame_bytes != stored_bytes) {
    throw reader.bad(fmt::format("claims to be of {} bytes", frame_bytes));
  }
  if (element_bytes == 0) throw reader.bad("has elements of no bytes");
  const bool fits = block_bytes > 0 && block_bytes <= raw_bytes;
  if (raw_bytes > 0 && !fits) {
    throw reader.bad(fmt::format("has blocks of {} of {} bytes", block_bytes, raw_bytes));
  }
}

void BloscDecoder::decode(std::span<const std::byte> frame, std::span<std::byte> out) {
  StreamReader reader(kBloscFrame, frame);
  const Head head = Head::read(reader, out.size());
  if ((head.flags & kStored) != 0) {
    std::ranges::copy(reader.take(out.size()), out.begin());
    return reader.expect_end();
  }
  while (!out.empty()) {
    const auto start = reader.take_little_endian<std::uint32_t>();
    if (start > frame.size()) throw reader.bad("has a block behind its end");
    const auto block = out.first(std::min(head.block_bytes, out.size()));
    decode_block(head, frame.subspan(start), block);
    out = out.subspan(block.size());
  }
}

void BloscDecoder::decode_block(const Head& head, std::span<const std::byte> block,
                                std::span<std::byte> out) {
  constexpr std::size_t kGroup = 8;
  const std::size_t width = head.element_bytes;
  const std::size_t count = out.size() / width;
  if ((head.flags & kShuffled) != 0 && width > 1) {
    const auto bytes = block_.take(out.size());
    decompress(head, block, bytes);
    unshuffle(bytes, width, out);
  } else if ((head.flags & kBitShuffled) != 0 && count > 0 && count % kGroup == 0) {
    const auto bits = block_.take(out.size());
    decompress(head, block, bits);
    const std::size_t whole = count * width;
    bits_.undo(bits.first(whole), width, out.first(whole));
    std::ranges::copy(bits.subspan(whole), out.subspan(whole).begin());
  } else {
    decompress(head, block, out);
  }
}

void BloscDecoder::decompress(const Head& head, std::span<const std::byte> block,
                              std::span<std::byte> out) {
  StreamReader reader(kBloscFrame, block);
  const std::size_t parts = head.parts(out.size());
  if (out.size() % parts != 0) throw reader.bad("has blocks that are no whole elements");
  const std::size_t part_bytes = out.size() / parts;
  for (; !out.empty(); out = out.subspan(part_bytes)) {
    const auto stream = reader.take(reader.take_little_endian<std::uint32_t>());
    const auto part = out.first(part_bytes);
    if (stream.size() == part.size()) {
      std::ranges::copy(stream, part.begin());
    } else {
      decompress_part(head.compressor(), stream, part);
    }
  }
}

void BloscDecoder::decompress_part(unsigned compressor, std::span<const std::byte> stream,
                                   std::span<std::byte> out) {
  switch (compressor) {
    case kBloscLz:
      return decode_blosclz(stream, out);
    case kLz4:
      return decode_lz4_block(stream, out);
    case kSnappy:
      return decode_snappy(stream, out);
    case kZlib:
      return inflater_.inflate_zlib(stream, out);
    case kZstd:
      return zstd_.decode(stream, out);
    default:
      throw bad_stream(kBloscFrame, stream,
                       fmt::format("has the unknown compressor {}", compressor));
  }
}

}  // namespace tessera::codec
