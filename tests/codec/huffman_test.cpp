#include "codec/huffman.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <vector>

namespace tessera::codec {
namespace {

using Counts = std::vector<std::uint32_t>;

std::vector<std::uint8_t> lengths_of(const Counts& counts, unsigned limit) {
  std::vector<std::uint8_t> lengths(counts.size(), 99);
  huffman_lengths(counts, limit, lengths);
  return lengths;
}

/// In units of 2^-15; a complete code has 2^15.
std::uint32_t kraft_sum(const std::vector<std::uint8_t>& lengths) {
  std::uint32_t sum = 0;
  for (std::uint8_t length : lengths) sum += length > 0 ? 1u << (15 - length) : 0;
  return sum;
}

/// Bits of the best code without a limit: the sum of all inner nodes of Huffman's tree.
std::uint64_t least_bits(const Counts& counts) {
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> queue;
  for (std::uint32_t count : counts) {
    if (count > 0) queue.push(count);
  }
  std::uint64_t bits = 0;
  while (queue.size() > 1) {
    std::uint64_t sum = queue.top();
    queue.pop();
    sum += queue.top();
    queue.pop();
    bits += sum;
    queue.push(sum);
  }
  return bits;
}

std::uint64_t bits_of(const Counts& counts, const std::vector<std::uint8_t>& lengths) {
  return std::inner_product(counts.begin(), counts.end(), lengths.begin(), std::uint64_t{0});
}

TEST(Huffman, IsCompleteAndOfMinimumRedundancyWhereTheLimitDoesNotBite) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    Counts counts(2 + random() % 285);
    for (std::uint32_t& count : counts) {
      count = random() % 4 == 0 ? 0 : static_cast<std::uint32_t>(50 + random() % 400);
    }
    counts[0] = counts[1] = 5;
    const auto lengths = lengths_of(counts, 15);
    ASSERT_EQ(kraft_sum(lengths), 1u << 15);
    ASSERT_EQ(bits_of(counts, lengths), least_bits(counts));
  }
}

TEST(Huffman, KeepsTheLimitForTheDeepestTrees) {
  Counts fibonacci = {1, 1};
  while (fibonacci.size() < 40) fibonacci.push_back(fibonacci.back() + *(fibonacci.end() - 2));
  for (unsigned limit : {6u, 9u, 14u, 15u}) {
    const auto lengths = lengths_of(fibonacci, limit);
    EXPECT_EQ(kraft_sum(lengths), 1u << 15) << limit;
    EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), limit);
    // Rarer symbols never have the shorter code.
    EXPECT_TRUE(std::is_sorted(lengths.rbegin(), lengths.rend()));
  }
}

TEST(Huffman, SymbolsThatDoNotOccurHaveNoCode) {
  EXPECT_EQ(lengths_of({0, 7, 0, 1, 0}, 14), (std::vector<std::uint8_t>{0, 1, 0, 1, 0}));
}

TEST(Huffman, CodesAreThoseOfTheExampleInRfc1951) {
  const std::vector<std::uint8_t> lengths = {3, 3, 3, 3, 3, 2, 4, 4};
  std::vector<std::uint16_t> codes(lengths.size());
  huffman_codes(lengths, codes);
  // 010 011 100 101 110 00 1110 1111, first bit lowest.
  EXPECT_EQ(codes,
            (std::vector<std::uint16_t>{0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111}));
}

}  // namespace
}  // namespace tessera::codec
