#include "run/piece_reader.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::run {
namespace {

std::vector<std::uint16_t> clipped(const job::Shape& chunk, const job::Shape& extent) {
  std::vector<std::uint16_t> elements;
  for (std::int64_t i = 0; i < plan::element_count(chunk); ++i) {
    elements.push_back(static_cast<std::uint16_t>(i));
  }
  clip_chunk(std::as_writable_bytes(std::span(elements)), chunk, extent, 2);
  elements.resize(static_cast<std::size_t>(plan::element_count(extent)));
  return elements;
}

TEST(ClipChunk, KeepsTheElementsInsideInOrder) {
  EXPECT_EQ(clipped({5}, {3}), (std::vector<std::uint16_t>{0, 1, 2}));
  EXPECT_EQ(clipped({3, 4}, {2, 3}), (std::vector<std::uint16_t>{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(clipped({2, 3, 2}, {2, 2, 1}), (std::vector<std::uint16_t>{0, 2, 6, 8}));
  EXPECT_EQ(clipped({2, 2}, {2, 2}), (std::vector<std::uint16_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace tessera::run
