#include "codec/run_deflate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "codec/deflate_block.hpp"

namespace tessera::codec {
namespace {

constexpr std::size_t kPixelBytes = 3;
constexpr std::size_t kWord = sizeof(std::uint64_t);  ///< and the shortest run that is looked for

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
  const std::uint64_t bits = code.block_bits(histogram.symbols) + histogram.run_bits;
  // The empty stored block that ends at a byte boundary: 3 bits, up to 7 to fill up, 4 bytes.
  if (bits / 8 + 6 > stored_bytes(in.size())) return store(in, out.data());

  BitWriter writer(out.data());
  put_header(writer, code);
  const std::uint8_t* from = bytes.data();
  for (const Token token : tokens_) {
    from = put_literals(writer, code, from, token.literals) + token.run;
    put_run(writer, code, token.run);
  }
  return static_cast<std::size_t>(put_end(writer, code) - out.data());
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
