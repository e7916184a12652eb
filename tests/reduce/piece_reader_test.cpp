#include "reduce/input/piece_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "../store/scratch_folder.hpp"
#include "job/arrays/array_input.hpp"

namespace tessera::reduce {
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

constexpr std::int64_t kElements = 5'000'003;  // 38 MiB, five windows

/// 0, 1, 2, ... as raw f8, with some bytes before them.
std::unique_ptr<store::ArraySource> counting_file(const store::ScratchFolder& folder) {
  constexpr std::int64_t kOffsetBytes = 24;
  std::vector<double> numbers(3 + kElements);
  for (std::int64_t i = 0; i < kElements; ++i) {
    numbers[static_cast<std::size_t>(i + 3)] = static_cast<double>(i);
  }
  std::ofstream(folder.file("a.raw"), std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(double)));
  const auto input = job::parse_array_input(
      fmt::format("{}?dtype=f8&shape={}&offset={}", folder.file("a.raw"), kElements, kOffsetBytes));
  return store::open_array(input, std::int64_t{1} << 20);
}

void expect_counting(PieceReader& reader, const plan::ArrayPieces& pieces, std::int64_t first,
                     std::int64_t end) {
  for (std::int64_t piece = first; piece < end; ++piece) {
    const auto bytes = reader.read(piece, end);
    ASSERT_EQ(bytes.size(), static_cast<std::size_t>(pieces.elements(piece)) * sizeof(double));
    for (std::int64_t e = 0; e < pieces.elements(piece); ++e) {
      double number = 0;
      std::memcpy(&number, bytes.data() + static_cast<std::size_t>(e) * sizeof number,
                  sizeof number);
      ASSERT_EQ(number, static_cast<double>(pieces.index(piece, e)));
    }
  }
}

TEST(PieceReader, BringsTheSameWhetherItCopiesOrLooks) {
  const store::ScratchFolder folder;
  const auto source = counting_file(folder);
  const plan::ArrayPieces& pieces = source->pieces();
  for (const std::size_t view_bytes :
       {std::size_t{0}, std::size_t{3} << 20, std::size_t{64} << 20}) {
    PieceReader reader(*source, view_bytes);
    for (int round = 0; round < 3; ++round) expect_counting(reader, pieces, 0, pieces.count());
    reader.release();
    for (std::int64_t first = 0; first < pieces.count(); first += 5) {  // slices
      expect_counting(reader, pieces, first, std::min(first + 5, pieces.count()));
      reader.release();
    }
    expect_counting(reader, pieces, 7, 9);  // elsewhere, without a word
    expect_counting(reader, pieces, 2, 4);
  }
}

}  // namespace
}  // namespace tessera::reduce
