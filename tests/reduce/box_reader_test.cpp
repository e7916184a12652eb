#include "reduce/input/box_reader.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"

namespace tessera::reduce {
namespace {

using plan::ArrayPieces;
constexpr auto kC = plan::StorageOrder::last_dimension_fastest;

/// u16 arrays in which element i is i. Boxes are chunks without filters, padded with 9999; of runs
/// only boxes can be read.
class ChunkCountingArray : public store::ArraySource {
 public:
  ChunkCountingArray(ArrayPieces pieces, plan::Shape chunk)
      : ArraySource({.type = base::ElementType::u16, .shape = pieces.shape()}, pieces),
        coding_{.chunk = std::move(chunk)} {}

  void read(std::int64_t, std::span<std::byte>) const override { FAIL(); }
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    const auto place = pieces_.is_joined() ? pieces_.part_at(box.origin.front()) : 0;
    const auto first = pieces_.is_joined() ? pieces_.first_row(place) : 0;
    if (pieces_.is_joined()) {
      ASSERT_FALSE(pieces_.part(place).are_boxes()) << "chunks are to be inflated";
      ASSERT_LE(box.origin.front() - first + box.extent.front(),
                pieces_.part(place).shape().front());
    }
    fill(box, box.extent, elements);
  }
  const store::ChunkCoding* chunk_coding(std::int64_t piece) const override {
    return part_of(piece).are_boxes() ? &coding_ : nullptr;
  }
  plan::Box location(std::int64_t piece) const override { return box_of(piece); }
  std::int64_t max_elements() const override { return plan::element_count(coding_.chunk); }
  void read_stored(std::int64_t first, std::int64_t end,
                   store::StoredChunks& chunks) const override {
    chunks.clear();
    for (std::int64_t piece = first; piece < std::min(end, pieces_.end_of_part(first)); ++piece) {
      const auto bytes = static_cast<std::size_t>(max_elements()) * 2;
      store::StoredChunk* const chunk = chunks.add(bytes);
      chunk->filter_mask = coding_.no_filter();
      fill(box_of(piece), coding_.chunk, chunk->bytes);
      ++chunks_read;
    }
  }

  void check_decoded(std::int64_t, std::span<const std::byte>) const override { ++chunks_decoded; }

  mutable int chunks_read = 0, chunks_decoded = 0;

 private:
  const ArrayPieces& part_of(std::int64_t piece) const {
    return pieces_.is_joined() ? pieces_.part(pieces_.locate(piece).part) : pieces_;
  }
  plan::Box box_of(std::int64_t piece) const {
    if (!pieces_.is_joined()) return pieces_.box(piece);
    const auto [part, own] = pieces_.locate(piece);
    plan::Box box = pieces_.part(part).box(own);
    box.origin.front() += pieces_.first_row(part);
    return box;
  }
  /// The box at the upper corner of `room`, which has two dimensions.
  void fill(const plan::Box& box, const plan::Shape& room, std::span<std::byte> elements) const {
    auto* value = reinterpret_cast<std::uint16_t*>(elements.data());
    for (std::int64_t r = 0; r < room[0]; ++r) {
      for (std::int64_t c = 0; c < room[1]; ++c) {
        const std::int64_t index = (box.origin[0] + r) * info_.shape[1] + box.origin[1] + c;
        const bool inside = r < box.extent[0] && c < box.extent[1];
        *value++ = static_cast<std::uint16_t>(inside ? index : 9999);
      }
    }
  }

  store::ChunkCoding coding_;
};

void expect_all_boxes(const ChunkCountingArray& array) {
  PieceReader reader(array);
  const plan::Shape& shape = array.info().shape;
  for (std::int64_t r = 0; r < shape[0]; ++r) {
    for (std::int64_t c = 0; c < shape[1]; ++c) {
      for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{4}, shape[0] - r}) {
        const plan::Box box{{r, c}, {std::min(rows, shape[0] - r), 1 + (shape[1] - c) / 2}};
        std::vector<std::uint16_t> elements(static_cast<std::size_t>(box.elements()));
        read_box(array, box, reader, std::as_writable_bytes(std::span(elements)));
        for (std::int64_t e = 0; e < box.elements(); ++e) {
          const std::int64_t row = r + e / box.extent[1];
          EXPECT_EQ(elements[static_cast<std::size_t>(e)], row * shape[1] + c + e % box.extent[1]);
        }
      }
    }
  }
}

TEST(BoxReader, PutsABoxTogetherFromChunks) {
  expect_all_boxes(ChunkCountingArray(ArrayPieces::boxes({9, 8}, {4, 3}), {4, 3}));
}

TEST(BoxReader, GoesAcrossFilesOfEitherKind) {
  expect_all_boxes(ChunkCountingArray(
      ArrayPieces::joined({ArrayPieces::boxes({5, 8}, {4, 3}), ArrayPieces::runs({2, 8}, kC, 7),
                           ArrayPieces::runs({0, 8}, kC, 7), ArrayPieces::boxes({6, 8}, {4, 3})}),
      {4, 3}));
}

TEST(BoxReader, TakesEachChunkOnce) {
  const ChunkCountingArray array(ArrayPieces::boxes({8, 9}, {4, 3}), {4, 3});
  PieceReader reader(array);
  std::vector<std::byte> elements(8 * 4 * 2);
  read_box(array, {{0, 2}, {8, 4}}, reader, elements);
  EXPECT_EQ(array.chunks_read, 4);
  read_box(array, {{1, 1}, {0, 3}}, reader, {});
  EXPECT_EQ(array.chunks_read, 4);
}

TEST(BoxReader, HasTheLastChunkForTheNextBox) {
  const ChunkCountingArray array(ArrayPieces::boxes({8, 9}, {4, 3}), {4, 3});
  PieceReader reader(array);
  const auto element_at = [&](std::int64_t row, std::int64_t column) {
    std::uint16_t element = 0;
    read_box(array, {{row, column}, {1, 1}}, reader,
             std::as_writable_bytes(std::span(&element, 1)));
    return element;
  };
  for (const std::int64_t row : {0, 1, 3}) EXPECT_EQ(element_at(row, 4), 9 * row + 4);
  EXPECT_EQ(array.chunks_decoded, 1);
  EXPECT_EQ(element_at(0, 0), 0);
  EXPECT_EQ(element_at(2, 4), 22);
  EXPECT_EQ(array.chunks_decoded, 3);
}

}  // namespace
}  // namespace tessera::reduce
