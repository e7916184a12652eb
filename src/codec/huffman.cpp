#include "codec/huffman.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace tessera::codec {
namespace {

constexpr unsigned kLongest = 15;
using LengthCounts = std::array<std::uint32_t, kLongest + 1>;

/// Depth of each leaf of Huffman's tree over `weights`, which ascend: with two queues, leaves and
/// inner nodes, both in ascending order (van Leeuwen 1976).
std::vector<unsigned> leaf_depths(std::span<const std::uint32_t> weights) {
  const std::size_t leaves = weights.size();
  std::vector<std::uint64_t> weight(weights.begin(), weights.end());
  weight.resize(2 * leaves - 1);
  std::vector<std::size_t> parent(weight.size());
  std::size_t leaf = 0, inner = leaves;
  for (std::size_t node = leaves; node < weight.size(); ++node) {
    for (int child = 0; child < 2; ++child) {
      const bool take_leaf = leaf < leaves && (inner == node || weight[leaf] <= weight[inner]);
      const std::size_t least = take_leaf ? leaf++ : inner++;
      weight[node] += weight[least];
      parent[least] = node;
    }
  }
  std::vector<unsigned> depth(weight.size());
  for (std::size_t node = weight.size() - 1; node-- > 0;) depth[node] = depth[parent[node]] + 1;
  depth.resize(leaves);
  return depth;
}

/// How many codes there are of each length once none is longer than `limit`: the longer ones are
/// cut, then short codes give way until Kraft's sum is one again.
LengthCounts limited(std::span<const unsigned> depths, unsigned limit) {
  LengthCounts count{};
  std::uint64_t kraft = 0;
  for (unsigned depth : depths) {
    const unsigned length = std::min(depth, limit);
    ++count[length];
    kraft += std::uint64_t{1} << (limit - length);
  }
  for (; kraft > std::uint64_t{1} << limit; --kraft) {
    // One of the longest codes becomes the sibling of a shorter one, which grows by a bit.
    unsigned shorter = limit - 1;
    while (count[shorter] == 0) --shorter;
    --count[limit];
    --count[shorter];
    count[shorter + 1] += 2;
  }
  return count;
}

}  // namespace

void huffman_lengths(std::span<const std::uint32_t> counts, unsigned limit,
                     std::span<std::uint8_t> lengths) {
  std::vector<std::size_t> symbols;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
    lengths[symbol] = 0;
    if (counts[symbol] > 0) symbols.push_back(symbol);
  }
  // Ties by symbol, so that the code does not depend on the library's sort.
  std::sort(symbols.begin(), symbols.end(), [&](std::size_t a, std::size_t b) {
    return counts[a] != counts[b] ? counts[a] < counts[b] : a < b;
  });
  std::vector<std::uint32_t> weights;
  weights.reserve(symbols.size());
  for (std::size_t symbol : symbols) weights.push_back(counts[symbol]);
  LengthCounts count = limited(leaf_depths(weights), limit);
  unsigned length = limit;
  for (std::size_t symbol : symbols) {
    while (count[length] == 0) --length;
    --count[length];
    lengths[symbol] = static_cast<std::uint8_t>(length);
  }
}

void huffman_codes(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes) {
  LengthCounts count{};
  for (std::uint8_t length : lengths) ++count[length];
  count[0] = 0;
  LengthCounts next{};
  for (unsigned length = 1; length <= kLongest; ++length) {
    next[length] = (next[length - 1] + count[length - 1]) << 1;
  }
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    if (lengths[symbol] == 0) continue;
    const std::uint32_t code = next[lengths[symbol]]++;
    std::uint32_t reversed = 0;
    for (unsigned bit = 0; bit < lengths[symbol]; ++bit) {
      reversed = reversed << 1 | (code >> bit & 1);
    }
    codes[symbol] = static_cast<std::uint16_t>(reversed);
  }
}

}  // namespace tessera::codec
