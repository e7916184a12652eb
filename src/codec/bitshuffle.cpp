#include "codec/bitshuffle.hpp"

#include <algorithm>
#include <cstdint>

#include "codec/bit_planes.hpp"
#include "codec/lz4.hpp"
#include "codec/shuffle.hpp"
#include "codec/stream_reader.hpp"

namespace tessera::codec {
namespace {

constexpr std::string_view kBitshuffleStream = "bitshuffle";
constexpr std::size_t kBitGroup = 8;  ///< elements whose bits fill bytes

/// What writers take where the filter does not say it.
std::size_t usual_block_elements(std::size_t element_bytes) {
  constexpr std::size_t kBytes = 8192;
  constexpr std::size_t kLeast = 128;
  return std::max(kBytes / element_bytes / kBitGroup * kBitGroup, kLeast);
}

/// Calls undo(bytes) for each block of `out`, and returns its rest, which is stored as it is.
template <class Undo>
std::span<std::byte> for_each_block(std::size_t block_bytes, std::size_t element_bytes,
                                    std::span<std::byte> out, Undo undo) {
  const std::size_t group_bytes = kBitGroup * element_bytes;
  while (out.size() >= group_bytes) {
    const auto block = out.first(std::min(block_bytes, out.size() / group_bytes * group_bytes));
    undo(block);
    out = out.subspan(block.size());
  }
  return out;
}

/// Throws unless blocks of that size can be.
void check_block(const StreamReader& reader, std::size_t bytes, std::size_t element_bytes) {
  if (element_bytes > 0 && bytes > 0 && bytes % (kBitGroup * element_bytes) == 0) return;
  throw reader.bad(fmt::format("has blocks of {} bytes for elements of {}", bytes, element_bytes));
}

}  // namespace

void BitUnshuffler::undo(std::span<const std::byte> planes, std::size_t element_bytes,
                         std::span<std::byte> to) {
  const std::size_t count = planes.size() / element_bytes;
  const std::size_t stride = count / kBitGroup;
  if (element_bytes == 1) return join_bit_planes(planes.data(), stride, to);
  // So many that their bytes stay in a core's cache until they are elements.
  // crossed by: IsUndoneForElementsOfAllWidths
  constexpr std::size_t kPieceBytes = 16384;
  constexpr std::size_t kVector = 128;
  const std::size_t most = std::max(kPieceBytes / element_bytes / kVector * kVector, kVector);
  const auto bytes = bytes_.take(std::min(most, count) * element_bytes);
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t piece = std::min(most, count - first);
    for (std::size_t b = 0; b < element_bytes; ++b) {
      join_bit_planes(planes.data() + kBitGroup * b * stride + first / kBitGroup, stride,
                      bytes.subspan(b * piece, piece));
    }
    unshuffle(bytes.first(piece * element_bytes), element_bytes,
              to.subspan(first * element_bytes, piece * element_bytes));
  }
}

void BitshuffleDecoder::decode_plain(const Filter& filter, std::span<const std::byte> stream,
                                     std::span<std::byte> out) {
  StreamReader reader(kBitshuffleStream, stream);
  if (stream.size() != out.size()) {
    throw reader.bad(fmt::format("is not of the {} bytes of its chunk", out.size()));
  }
  const std::size_t width = filter.element_bytes;
  const std::size_t elements =
      filter.block_elements > 0 ? filter.block_elements : usual_block_elements(width);
  check_block(reader, elements * width, width);
  const auto rest = for_each_block(elements * width, width, out, [&](std::span<std::byte> block) {
    bits_.undo(reader.take(block.size()), width, block);
  });
  std::ranges::copy(reader.rest(), rest.begin());
}

void BitshuffleDecoder::decode_compressed(const Filter& filter, std::span<const std::byte> stream,
                                          std::span<std::byte> out) {
  StreamReader reader(kBitshuffleStream, stream);
  const auto claimed = reader.take_big_endian<std::uint64_t>();
  if (claimed != out.size()) {
    throw reader.bad(fmt::format("claims {} bytes, not the {} of its chunk", claimed, out.size()));
  }
  const std::size_t block_bytes = reader.take_big_endian<std::uint32_t>();
  const std::size_t width = filter.element_bytes;
  check_block(reader, block_bytes, width);
  const auto planes = block_.take(std::min(block_bytes, out.size()));
  const auto rest = for_each_block(block_bytes, width, out, [&](std::span<std::byte> block) {
    const auto bits = planes.first(block.size());
    const auto compressed = reader.take(reader.take_big_endian<std::uint32_t>());
    if (filter.kind == Filter::Kind::bitshuffle_lz4) {
      decode_lz4_block(compressed, bits);
    } else {
      zstd_.decode(compressed, bits);
    }
    bits_.undo(bits, width, block);
  });
  std::ranges::copy(reader.take(rest.size()), rest.begin());
  reader.expect_end();
}

void BitshuffleDecoder::decode(const Filter& filter, std::span<const std::byte> stream,
                               std::span<std::byte> out) {
  if (filter.kind == Filter::Kind::bitshuffle) return decode_plain(filter, stream, out);
  decode_compressed(filter, stream, out);
}

}  // namespace tessera::codec
