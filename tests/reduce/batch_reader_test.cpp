#include "reduce/input/batch_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::reduce {
namespace {

/// u16 arrays in which element i of the array is i.
class CountingArray : public store::ArraySource {
 public:
  explicit CountingArray(plan::ArrayPieces pieces)
      : ArraySource({.type = base::ElementType::u16, .shape = pieces.shape()}, pieces) {}

  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    auto* const values = reinterpret_cast<std::uint16_t*>(elements.data());
    for (std::int64_t i = 0; i < pieces_.elements(piece); ++i) {
      values[i] = static_cast<std::uint16_t>(pieces_.index(piece, i));
    }
  }
  void read_box(const plan::Box&, std::span<std::byte>) const override {}
};

class PlainMemory : public device::HostBuffer {
 public:
  explicit PlainMemory(std::size_t bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes() override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads all of the array and checks every element's index; returns the pieces of each batch.
std::vector<std::int64_t> read_all(const CountingArray& array, std::size_t bytes) {
  BatchReader batches(array, std::make_unique<PlainMemory>(bytes));
  std::vector<std::int64_t> pieces;
  for (std::int64_t first = 0; first < array.pieces().count(); first += pieces.back()) {
    const Batch batch = batches.read(first, array.pieces().count());
    const std::span<const std::byte> read = batch.elements.bytes();
    EXPECT_LE(read.size(), bytes);
    const std::span values(reinterpret_cast<const std::uint16_t*>(read.data()), read.size() / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i], batch.indexing.of(static_cast<std::int64_t>(i)));
    }
    EXPECT_EQ(batch.indexing.in_order, std::ranges::is_sorted(values));
    pieces.push_back(batch.pieces);
  }
  return pieces;
}

TEST(BatchReader, TakesAsManyPiecesAsThereIsRoomFor) {
  using plan::ArrayPieces, plan::StorageOrder;
  const CountingArray array(ArrayPieces::runs({5, 7}, StorageOrder::last_dimension_fastest, 4));
  EXPECT_EQ(read_all(array, 100), (std::vector<std::int64_t>{9}));
  EXPECT_EQ(read_all(array, 24), (std::vector<std::int64_t>{3, 3, 3}));
  EXPECT_EQ(read_all(array, 8), (std::vector<std::int64_t>(9, 1)));
}

TEST(BatchReader, KnowsTheIndicesOfBoxes) {
  const CountingArray array(plan::ArrayPieces::boxes({5, 7}, {2, 3}));
  EXPECT_EQ(read_all(array, 30), (std::vector<std::int64_t>{3, 3, 3}));
}

TEST(BatchReader, ReadsNoFurtherThanItIsTold) {
  using plan::ArrayPieces, plan::StorageOrder;
  const CountingArray array(ArrayPieces::runs({40}, StorageOrder::last_dimension_fastest, 4));
  BatchReader batches(array, std::make_unique<PlainMemory>(1000));
  EXPECT_EQ(batches.read(2, 5).pieces, 3);
}

}  // namespace
}  // namespace tessera::reduce
