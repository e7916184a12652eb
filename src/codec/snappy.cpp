#include "codec/snappy.hpp"

#include <cstdint>

#include "codec/lz_output.hpp"
#include "codec/stream_reader.hpp"

namespace tessera::codec {
namespace {

/// Seven bits a byte, the lowest first.
std::uint64_t take_snappy_size(StreamReader& reader) {
  constexpr unsigned kMore = 128;
  constexpr int kMostBits = 32;
  std::uint64_t size = 0;
  for (int shift = 0; shift < kMostBits; shift += 7) {
    const unsigned byte = reader.take_byte();
    size |= std::uint64_t{byte % kMore} << shift;
    if (byte < kMore) return size;
  }
  throw reader.bad("has a size that does not end");
}

/// The length less one is in the tag, or behind it in 1 to 4 bytes.
void append_snappy(StreamReader& reader, unsigned tag, LzOutput& out) {
  constexpr unsigned kInTag = 60;
  std::size_t length = tag >> 2;
  if (length >= kInTag) {
    const auto bytes = reader.take(length - kInTag + 1);
    length = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      length = length << 8 | std::to_integer<std::size_t>(bytes[i]);
    }
  }
  out.append(length + 1);
}

void decode_snappy_tag(StreamReader& reader, LzOutput& out) {
  const unsigned tag = reader.take_byte();
  switch (tag & 3) {
    case 0:
      return append_snappy(reader, tag, out);
    case 1: {
      const std::size_t distance = (tag >> 5) << 8 | reader.take_byte();
      return out.repeat(distance, 4 + (tag >> 2 & 7));
    }
    case 2:
      return out.repeat(reader.take_little_endian<std::uint16_t>(), 1 + (tag >> 2));
    default:
      return out.repeat(reader.take_little_endian<std::uint32_t>(), 1 + (tag >> 2));
  }
}

}  // namespace

void decode_snappy(std::span<const std::byte> stream, std::span<std::byte> out) {
  StreamReader reader("Snappy", stream);
  const std::uint64_t claimed = take_snappy_size(reader);
  if (claimed != out.size()) {
    throw reader.bad(fmt::format("claims {} bytes, not {}", claimed, out.size()));
  }
  LzOutput output(reader, out);
  while (!reader.rest().empty()) decode_snappy_tag(reader, output);
  output.expect_full();
}

}  // namespace tessera::codec
