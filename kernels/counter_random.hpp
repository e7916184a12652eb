// Random numbers by place, not by turn: element i of an array is a function of i and a seed, so
// that every device makes the same array, any part of it first. Philox4x32-10: J. K. Salmon, M. A.
// Moraes, R. O. Dror, D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace tessera::kernels {

using PhiloxBlock = std::array<std::uint32_t, 4>;

constexpr PhiloxBlock philox4x32(PhiloxBlock counter, std::uint64_t seed) {
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0,
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1,
               static_cast<std::uint32_t>(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

/// 64 random bits for place `index`: half a block.
constexpr std::uint64_t random_bits(std::uint64_t index, std::uint64_t seed) {
  const std::uint64_t number = index / 2;
  const PhiloxBlock block = philox4x32(
      {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0, 0}, seed);
  const std::size_t half = index % 2 * 2;
  return std::uint64_t{block[half + 1]} << 32 | block[half];
}

}  // namespace tessera::kernels
