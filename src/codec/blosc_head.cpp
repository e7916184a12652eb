#include "codec/blosc_head.hpp"

#include <cstdint>

namespace tessera::codec {
namespace {

/// The head of every frame.
constexpr std::size_t kHeadBytes = 16;
/// Behind that: where the block begins, and how long its stream is.
constexpr std::size_t kBlockHeadBytes = 8;

}  // namespace

std::vector<std::byte> blosc_head(const BloscBlock& block) {
  constexpr unsigned kVersion = 2, kVersionOfZlib = 1;
  constexpr unsigned kShuffle = 1, kStoredAsIs = 2, kOneStream = 16, kByZlib = 3U << 5;
  const bool is_stream = block.stream_bytes > 0;
  const std::size_t behind = is_stream ? kBlockHeadBytes + block.stream_bytes : block.raw_bytes;
  std::vector<std::byte> head;
  const auto put_byte = [&](std::size_t value) { head.push_back(static_cast<std::byte>(value)); };
  const auto put = [&](std::size_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8) put_byte(value >> shift & 0xff);
  };
  put_byte(kVersion);
  put_byte(kVersionOfZlib);
  put_byte(kShuffle | kByZlib | (is_stream ? kOneStream : kStoredAsIs));
  put_byte(block.element_bytes);
  put(block.raw_bytes);
  put(block.raw_bytes);  // of a block
  put(kHeadBytes + behind);
  if (is_stream) {
    put(kHeadBytes + sizeof(std::uint32_t));
    put(block.stream_bytes);
  }
  return head;
}

bool fits_blosc(const BloscBlock& block) {
  return kBlockHeadBytes + block.stream_bytes <= block.raw_bytes;
}

}  // namespace tessera::codec
