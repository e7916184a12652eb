#include "codec/lz4.hpp"

#include "codec/absent/left_out.hpp"

namespace tessera::codec {

bool has_lz4() {
  return false;
}

void decode_lz4_block(std::span<const std::byte> /*block*/, std::span<std::byte> /*out*/) {
  throw left_out("LZ4", "liblz4");
}

void decode_lz4_blocks(std::span<const std::byte> stream, std::span<std::byte> out) {
  decode_lz4_block(stream, out);
}

void decode_lz4_sized(std::span<const std::byte> stream, std::span<std::byte> out) {
  decode_lz4_block(stream, out);
}

}  // namespace tessera::codec
