// Writing one block of deflate (RFC 1951, 3.2.3): Huffman codes made for it, or stored bytes.
// Matches are all of one pixel's distance, 3 bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tessera::codec {

static_assert(std::endian::native == std::endian::little, "bits are stored a word at a time");

inline constexpr std::size_t kLongestMatch = 258;
inline constexpr std::size_t kShortestMatch = 3;
inline constexpr std::size_t kEndOfBlock = 256;
inline constexpr std::size_t kSymbols = 286;

/// How a match of some length is written: RFC 1951, 3.2.5.
struct LengthSymbol {
  std::uint16_t symbol;
  std::uint8_t extra_bits;
  std::uint8_t extra;
};

constexpr std::array<LengthSymbol, kLongestMatch + 1> make_length_symbols() {
  std::array<LengthSymbol, kLongestMatch + 1> table{};
  std::size_t length = kShortestMatch;
  for (std::uint16_t symbol = 257; symbol < 285; ++symbol) {
    const auto bits = static_cast<std::uint8_t>(symbol < 265 ? 0 : (symbol - 261) / 4);
    for (unsigned extra = 0; extra < 1u << bits && length < kLongestMatch; ++extra) {
      table[length++] = {symbol, bits, static_cast<std::uint8_t>(extra)};
    }
  }
  table[kLongestMatch] = {285, 0, 0};
  return table;
}

inline constexpr std::array<LengthSymbol, kLongestMatch + 1> kLengthSymbols = make_length_symbols();

/// Bits, lowest first, into memory a word at a time; up to 8 bytes behind the end are scribbled on.
class BitWriter {
 public:
  explicit BitWriter(std::byte* to) : to_(to) {}

  /// At most 56 bits between two flushes.
  void put(std::uint64_t bits, unsigned count) {
    bits_ |= bits << count_;
    count_ += count;
  }
  void flush() {
    std::memcpy(to_, &bits_, sizeof bits_);
    to_ += count_ >> 3;
    bits_ >>= count_ & ~7u;
    count_ &= 7;
  }
  std::byte* align() {
    flush();
    if (count_ > 0) ++to_;
    bits_ = 0;
    count_ = 0;
    return to_;
  }

 private:
  std::byte* to_;
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;
};

/// A code and its length in one word: code | length << 24.
using Packed = std::uint32_t;
constexpr Packed pack(std::uint32_t code, unsigned length) {
  return code | length << 24;
}

inline void put(BitWriter& writer, Packed code) {
  writer.put(code & 0xFFFFFF, code >> 24);
}

/// The block's code. The distance of a pixel gets a code of one bit, and the distance of one byte,
/// which never occurs, the other, because some readers want complete codes.
struct BlockCode {
  std::array<std::uint8_t, kSymbols> lengths;
  std::array<Packed, kEndOfBlock + 1> literals;
  std::array<Packed, kLongestMatch + 1> runs;  ///< length, its extra bits and the distance

  /// `counts`: how often each of the kSymbols symbols occurs; kEndOfBlock and another one must.
  explicit BlockCode(std::span<const std::uint32_t> counts);

  /// Of a block with these counts, its header included; extra bits and distances are not.
  std::uint64_t block_bits(std::span<const std::uint32_t> counts) const;
};

/// Opens a block that is not the last.
void put_header(BitWriter& writer, const BlockCode& code);

/// Closes it, and adds an empty stored block, which ends at a byte boundary. Returns that place.
std::byte* put_end(BitWriter& writer, const BlockCode& code);

/// Returns the place behind the literals.
inline const std::uint8_t* put_literals(BitWriter& writer, const BlockCode& code,
                                        const std::uint8_t* from, std::size_t count) {
  const std::uint8_t* const end = from + count;
  for (; end - from >= 4; from += 4) {
    for (int i = 0; i < 4; ++i) put(writer, code.literals[from[i]]);
    writer.flush();
  }
  for (; from < end; ++from) put(writer, code.literals[*from]);
  writer.flush();
  return from;
}

/// `length`: a multiple of kLongestMatch, or kShortestMatch and more beyond one.
inline void put_run(BitWriter& writer, const BlockCode& code, std::size_t length) {
  for (; length >= kLongestMatch; length -= kLongestMatch) {
    put(writer, code.runs[kLongestMatch]);
    writer.flush();
  }
  if (length > 0) put(writer, code.runs[length]);
  writer.flush();
}

/// What store() writes.
std::size_t stored_bytes(std::size_t in_bytes);

/// `in` in stored blocks, none the last, which end at a byte boundary; returns the bytes written.
std::size_t store(std::span<const std::byte> in, std::byte* out);

}  // namespace tessera::codec
