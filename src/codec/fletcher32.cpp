#include "codec/fletcher32.hpp"

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::codec {
namespace {

/// Sums modulo 65535, which is what HDF5's sums are up to writing 65535 for 0.
struct FletcherSums {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  friend bool operator==(const FletcherSums&, const FletcherSums&) = default;
};
constexpr std::uint64_t kFletcherModulus = 65535;

std::uint64_t byte_at(std::span<const std::byte> bytes, std::size_t i) {
  return std::to_integer<std::uint64_t>(bytes[i]);
}

/// Sums of big-endian words of 16 bits; a last single byte is the upper half of a word.
FletcherSums sums_of(std::span<const std::byte> bytes) {
  // crossed by: OfAnyLengthIsChecked
  constexpr std::size_t kWordsAtATime = 1 << 15;  // the second sum stays below 2^47
  FletcherSums sums;
  std::size_t at = 0;
  while (bytes.size() - at >= 2) {
    const std::size_t words = std::min(kWordsAtATime, (bytes.size() - at) / 2);
    for (std::size_t i = 0; i < words; ++i, at += 2) {
      sums.first += byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
      sums.second += sums.first;
    }
    sums.first %= kFletcherModulus;
    sums.second %= kFletcherModulus;
  }
  if (at < bytes.size()) {
    sums.first += byte_at(bytes, at) << 8;
    sums.second += sums.first;
  }
  return {sums.first % kFletcherModulus, sums.second % kFletcherModulus};
}

}  // namespace

std::span<const std::byte> check_fletcher32(std::span<const std::byte> checked) {
  if (checked.size() < kFletcher32Bytes) {
    throw base::run_error("chunk of {}: is too short for its checksum",
                          base::count_of(std::ssize(checked), "byte"));
  }
  const auto bytes = checked.first(checked.size() - kFletcher32Bytes);
  const auto stored = checked.last(kFletcher32Bytes);
  const auto word = [&](std::size_t low, std::size_t high) {
    return (byte_at(stored, high) << 8 | byte_at(stored, low)) % kFletcherModulus;
  };
  const FletcherSums sums = sums_of(bytes);
  // HDF5 up to 1.6.2 wrote each half in the other byte order, and takes both since.
  if (sums == FletcherSums{word(0, 1), word(2, 3)} ||
      sums == FletcherSums{word(1, 0), word(3, 2)}) {
    return bytes;
  }
  throw base::run_error("chunk of {}: wrong Fletcher32 checksum",
                        base::count_of(std::ssize(checked), "byte"));
}

}  // namespace tessera::codec
