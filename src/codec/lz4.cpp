#include "codec/lz4.hpp"

#include <lz4.h>

#include <algorithm>
#include <cstdint>

#include "codec/stream_reader.hpp"

namespace tessera::codec {
namespace {

constexpr std::string_view kLz4Stream = "LZ4";

base::Error another_size(const StreamReader& reader, std::uint64_t claimed, std::size_t expected) {
  return reader.bad(fmt::format("claims {} bytes, not the {} of its chunk", claimed, expected));
}

}  // namespace

bool has_lz4() {
  return true;
}

void decode_lz4_block(std::span<const std::byte> block, std::span<std::byte> out) {
  if (block.size() > LZ4_MAX_INPUT_SIZE || out.size() > LZ4_MAX_INPUT_SIZE) {
    throw bad_stream(kLz4Stream, block, "is longer than a block can be");
  }
  const int bytes = LZ4_decompress_safe(
      reinterpret_cast<const char*>(block.data()), reinterpret_cast<char*>(out.data()),
      static_cast<int>(block.size()), static_cast<int>(out.size()));
  if (bytes < 0) throw bad_stream(kLz4Stream, block, "is damaged");
  if (static_cast<std::size_t>(bytes) != out.size()) {
    throw bad_stream(kLz4Stream, block, "decodes to less than its chunk");
  }
}

void decode_lz4_blocks(std::span<const std::byte> stream, std::span<std::byte> out) {
  StreamReader reader(kLz4Stream, stream);
  const auto claimed = reader.take_big_endian<std::uint64_t>();
  if (claimed != out.size()) throw another_size(reader, claimed, out.size());
  const std::size_t block_bytes = reader.take_big_endian<std::uint32_t>();
  if (block_bytes == 0) throw reader.bad("has blocks of no bytes");
  while (!out.empty()) {
    const auto raw = out.first(std::min(block_bytes, out.size()));
    const auto block = reader.take(reader.take_big_endian<std::uint32_t>());
    if (block.size() == raw.size()) {
      std::ranges::copy(block, raw.begin());
    } else {
      decode_lz4_block(block, raw);
    }
    out = out.subspan(raw.size());
  }
  reader.expect_end();
}

void decode_lz4_sized(std::span<const std::byte> stream, std::span<std::byte> out) {
  StreamReader reader(kLz4Stream, stream);
  const auto claimed = reader.take_little_endian<std::uint32_t>();
  if (claimed != out.size()) throw another_size(reader, claimed, out.size());
  decode_lz4_block(reader.rest(), out);
}

}  // namespace tessera::codec
