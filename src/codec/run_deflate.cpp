#include "codec/run_deflate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "codec/huffman.hpp"

namespace tessera::codec {
namespace {

static_assert(std::endian::native == std::endian::little, "words are compared and stored as bytes");

constexpr std::size_t kPixelBytes = 3;
constexpr std::size_t kWord = sizeof(std::uint64_t);  ///< and the shortest run that is looked for
constexpr std::size_t kLongestMatch = 258;
constexpr std::size_t kShortestMatch = 3;

constexpr std::size_t kEndOfBlock = 256;
constexpr std::size_t kSymbols = 286;
/// Four codes and what a flush leaves (7 bits) fit into a word.
constexpr unsigned kLongestCode = 14;

std::uint64_t load_word(const std::uint8_t* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// Which bytes of the word at `x` differ from those a pixel before.
std::uint64_t pixel_change(const std::uint8_t* x) {
  return load_word(x) ^ load_word(x - kPixelBytes);
}

struct Run {
  std::size_t begin;
  std::size_t end;
};

/// The run round the unchanged word at x[i], i >= 2 * kWord, within [low, high), from at most a
/// word before it on.
Run widen(const std::uint8_t* x, std::size_t i, std::size_t low, std::size_t high) {
  const auto before = static_cast<std::size_t>(std::countl_zero(pixel_change(x + i - kWord)));
  const std::size_t begin = std::max(i - before / 8, low);
  std::size_t end = i + kWord;
  const auto change = [&](std::size_t word) { return pixel_change(x + end + word * kWord); };
  while (end + 4 * kWord <= high && (change(0) | change(1) | change(2) | change(3)) == 0) {
    end += 4 * kWord;
  }
  while (end + kWord <= high) {
    const std::uint64_t here = change(0);
    end += static_cast<std::size_t>(std::countr_zero(here)) / 8;
    if (here != 0) break;
  }
  // What is left of a run behind matches of full length may be too short for one more.
  if (const std::size_t rest = (end - begin) % kLongestMatch; rest < kShortestMatch) end -= rest;
  return {begin, end};
}

/// RFC 1951, 3.2.5.
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

constexpr std::array<LengthSymbol, kLongestMatch + 1> kLengthSymbols = make_length_symbols();

/// Bits, lowest first, into memory a word at a time; up to 8 bytes behind the end are scribbled on.
class BitWriter {
 public:
  explicit BitWriter(std::byte* to) : to_(to) {}

  /// At most 57 bits between two flushes.
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

void put(BitWriter& writer, Packed code) {
  writer.put(code & 0xFFFFFF, code >> 24);
}

/// The block's code. Matches always are of one pixel's distance; that symbol gets a code of one
/// bit, and the distance of one byte the other, because some readers want complete codes.
struct BlockCode {
  std::array<std::uint8_t, kSymbols> lengths;
  std::array<Packed, kEndOfBlock + 1> literals;
  std::array<Packed, kLongestMatch + 1> runs;  ///< length, its extra bits and the distance

  explicit BlockCode(std::span<const std::uint32_t> counts) {
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
};

constexpr std::size_t kDistances = 3;
constexpr std::size_t kHeaderBits = 3 + 5 + 5 + 4 + 19 * 3 + (kSymbols + kDistances) * 4;

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

const std::uint8_t* put_literals(BitWriter& writer, const BlockCode& code, const std::uint8_t* from,
                                 std::size_t count) {
  const std::uint8_t* const end = from + count;
  for (; end - from >= 4; from += 4) {
    for (int i = 0; i < 4; ++i) put(writer, code.literals[from[i]]);
    writer.flush();
  }
  for (; from < end; ++from) put(writer, code.literals[*from]);
  writer.flush();
  return from;
}

void put_run(BitWriter& writer, const BlockCode& code, std::size_t length) {
  for (; length >= kLongestMatch; length -= kLongestMatch) {
    put(writer, code.runs[kLongestMatch]);
    writer.flush();
  }
  if (length > 0) put(writer, code.runs[length]);
  writer.flush();
}

constexpr std::size_t kMostStored = 65535;

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

}  // namespace

struct RunDeflate::Histogram {
  /// Four tables in turn: adding to one cell twice in a row would wait for the first sum.
  std::array<std::array<std::uint32_t, 256>, 4> literals{};
  std::array<std::uint32_t, kSymbols> symbols{};
  std::uint64_t run_bits = 0;  ///< extra bits and distances

  void add_literals(const std::uint8_t* from, std::size_t count) {
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      for (std::size_t k = 0; k < 4; ++k) ++literals[k][from[i + k]];
    }
    for (; i < count; ++i) ++literals[0][from[i]];
  }

  void add_run(std::size_t length) {
    const auto whole = static_cast<std::uint32_t>(length / kLongestMatch);
    symbols[kLengthSymbols[kLongestMatch].symbol] += whole;
    run_bits += whole;
    if (const std::size_t rest = length % kLongestMatch; rest > 0) {
      ++symbols[kLengthSymbols[rest].symbol];
      run_bits += kLengthSymbols[rest].extra_bits + 1u;
    }
  }

  void close() {
    for (const auto& table : literals) {
      for (std::size_t i = 0; i < table.size(); ++i) symbols[i] += table[i];
    }
    symbols[kEndOfBlock] = 1;
  }
};

void RunDeflate::find_runs(std::span<const std::uint8_t> in, Histogram& histogram) {
  const std::uint8_t* const x = in.data();
  const std::size_t size = in.size();
  tokens_.clear();
  std::size_t done = 0;  // bytes that the tokens stand for
  // Looking at every eighth byte finds all runs of 15 and more, and the steps do not wait for each
  // other; of the shorter runs, which gain little, those that happen to hold a whole word.
  for (std::size_t i = 2 * kWord; i + kWord <= size; i += kWord) {
    if (pixel_change(x + i) != 0) continue;
    const Run run = widen(x, i, std::max(done, kPixelBytes), size);
    const std::size_t literals = run.begin - done;
    histogram.add_literals(x + done, literals);
    histogram.add_run(run.end - run.begin);
    tokens_.push_back(
        {static_cast<std::uint32_t>(literals), static_cast<std::uint32_t>(run.end - run.begin)});
    done = run.end;
    i = (run.end - 1) / kWord * kWord;
  }
  histogram.add_literals(x + done, size - done);
  tokens_.push_back({static_cast<std::uint32_t>(size - done), 0});
  histogram.close();
}

std::size_t RunDeflate::deflate(std::span<const std::byte> in, std::span<std::byte> out) {
  if (in.empty()) return 0;
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(in.data()), in.size());
  Histogram histogram;
  find_runs(bytes, histogram);
  const BlockCode code(histogram.symbols);
  std::uint64_t bits = kHeaderBits + histogram.run_bits;
  for (std::size_t i = 0; i < kSymbols; ++i)
    bits += std::uint64_t{histogram.symbols[i]} * code.lengths[i];
  // The empty stored block that ends at a byte boundary: 3 bits, up to 7 to fill up, 4 bytes.
  if (bits / 8 + 6 > stored_bytes(in.size())) return store(in, out.data());

  BitWriter writer(out.data());
  put_header(writer, code);
  const std::uint8_t* from = bytes.data();
  for (const Token token : tokens_) {
    from = put_literals(writer, code, from, token.literals) + token.run;
    put_run(writer, code, token.run);
  }
  put(writer, code.literals[kEndOfBlock]);
  writer.put(0, 3);
  std::byte* end = writer.align();
  constexpr std::array kEmptyStored = {std::byte{0}, std::byte{0}, std::byte{0xFF},
                                       std::byte{0xFF}};
  end = std::copy(kEmptyStored.begin(), kEmptyStored.end(), end);
  return static_cast<std::size_t>(end - out.data());
}

std::size_t RunDeflate::bound(std::size_t in_bytes) {
  return stored_bytes(in_bytes) + 16;
}

std::size_t RunDeflate::memory_bytes(std::size_t in_bytes) {
  // A token has at least a word; a vector that grows holds up to three times its
  // contents while it moves.
  return 3 * sizeof(Token) * (in_bytes / kWord + 2);
}

}  // namespace tessera::codec
