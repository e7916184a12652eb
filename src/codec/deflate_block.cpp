#include "codec/deflate_block.hpp"

#include <algorithm>

#include "codec/huffman.hpp"

namespace tessera::codec {
namespace {

/// Four codes and what a flush leaves (7 bits) fit into a word.
constexpr unsigned kLongestCode = 14;
constexpr std::size_t kDistances = 3;
constexpr std::size_t kHeaderBits = 3 + 5 + 5 + 4 + 19 * 3 + (kSymbols + kDistances) * 4;
constexpr std::size_t kMostStored = 65535;

}  // namespace

BlockCode::BlockCode(std::span<const std::uint32_t> counts) {
  huffman_lengths(counts, kLongestCode, lengths);
  std::array<std::uint16_t, kSymbols> codes{};
  huffman_codes(lengths, codes);
  for (std::size_t i = 0; i <= kEndOfBlock; ++i) literals[i] = pack(codes[i], lengths[i]);
  constexpr std::uint32_t kDistance = 1;
  for (std::size_t i = kShortestMatch; i <= kLongestMatch; ++i) {
    const LengthSymbol s = kLengthSymbols[i];
    const unsigned length = lengths[s.symbol];
    const std::uint32_t tail = s.extra | kDistance << s.extra_bits;
    runs[i] = pack(codes[s.symbol] | tail << length, length + s.extra_bits + 1u);
  }
}

std::uint64_t BlockCode::block_bits(std::span<const std::uint32_t> counts) const {
  std::uint64_t bits = kHeaderBits;
  for (std::size_t i = 0; i < kSymbols; ++i) bits += std::uint64_t{counts[i]} * lengths[i];
  return bits;
}

/// Dynamic Huffman header. Every length is written in 4 bits as it is: the 16 plain symbols of the
/// code-length code all have 4 bits, those for repetitions none. Costs 50 bytes a block and no
/// thought.
void put_header(BitWriter& writer, const BlockCode& code) {
  writer.put(0b100, 3);  // not final, dynamic
  writer.put(kSymbols - 257, 5);
  writer.put(kDistances - 1, 5);
  writer.put(19 - 4, 4);
  writer.put(0, 9);  // lengths of 16, 17, 18
  writer.flush();
  // Order of the others: 0, 8, 7, 9, ...; all alike. Code-length codes are sent highest bit first.
  for (int i = 0; i < 16; ++i) writer.put(4, 3);
  writer.flush();
  constexpr std::array<std::uint8_t, 16> kReversed = {0, 8, 4, 12, 2, 10, 6, 14,
                                                      1, 9, 5, 13, 3, 11, 7, 15};
  for (std::uint8_t length : code.lengths) {
    writer.put(kReversed[length], 4);
    writer.flush();
  }
  for (unsigned length : {1u, 0u, 1u}) writer.put(kReversed[length], 4);
  writer.flush();
}

std::byte* put_end(BitWriter& writer, const BlockCode& code) {
  put(writer, code.literals[kEndOfBlock]);
  writer.put(0, 3);  // not final, stored
  constexpr std::array kNoLength = {std::byte{0}, std::byte{0}, std::byte{0xFF}, std::byte{0xFF}};
  return std::copy(kNoLength.begin(), kNoLength.end(), writer.align());
}

std::size_t stored_bytes(std::size_t in_bytes) {
  return in_bytes + 5 * (in_bytes / kMostStored + 1);
}

std::size_t store(std::span<const std::byte> in, std::byte* out) {
  std::byte* to = out;
  for (std::size_t begin = 0; begin < in.size(); begin += kMostStored) {
    const auto block = in.subspan(begin, std::min(kMostStored, in.size() - begin));
    const auto size = static_cast<std::uint32_t>(block.size());
    const std::uint32_t head = size | ~size << 16;
    *to++ = std::byte{0};
    std::memcpy(to, &head, 4);
    to = std::copy(block.begin(), block.end(), to + 4);
  }
  return static_cast<std::size_t>(to - out);
}

}  // namespace tessera::codec
