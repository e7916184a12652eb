// Rows of a box one by one or through a window, on both sides of the sizes at which that changes.
#include "store/arrays/read_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace tessera::store {
namespace {

constexpr std::int64_t kSmallGap = 4096, kWindow = 256 << 10;

/// A file of so many bytes, each of which says where it is.
std::vector<std::byte> numbered(std::int64_t bytes) {
  std::vector<std::byte> file(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < file.size(); ++i)
    file[i] = static_cast<std::byte>(i * 2654435761U >> 13);
  return file;
}

/// Of every row of an array of bytes the first `row`, the others being a gap.
void expect_rows(std::int64_t rows, std::int64_t row, std::int64_t gap) {
  const plan::Shape shape = {rows, row + gap};
  const auto file = numbered(rows * (row + gap));
  std::int64_t calls = 0;
  const ReadStretch read = [&](std::uint64_t offset, std::span<std::byte> to) {
    ++calls;
    ASSERT_LE(offset + to.size(), file.size());
    std::memcpy(to.data(), file.data() + offset, to.size());
  };
  std::vector<std::byte> got(static_cast<std::size_t>(rows * row));
  read_rows(plan::BoxRows(shape, {.origin = {0, 0}, .extent = {rows, row}}), 1, read, got);
  for (std::int64_t r = 0; r < rows; ++r) {
    ASSERT_TRUE(std::equal(got.begin() + r * row, got.begin() + (r + 1) * row,
                           file.begin() + r * (row + gap)))
        << "row " << r << " of " << rows << ", " << row << " and " << gap << " bytes";
  }
  const bool together = rows > 1 && gap > 0 && gap <= kSmallGap && row < kWindow / 4;
  if (gap > 0) {
    EXPECT_EQ(calls < rows, together) << row << " and " << gap;
  }
}

TEST(ReadRows, AcrossSmallGapsTheyAreReadTogether) {
  for (const std::int64_t gap :
       {std::int64_t{0}, std::int64_t{1}, kSmallGap - 1, kSmallGap, kSmallGap + 1}) {
    for (const std::int64_t row : {std::int64_t{1}, std::int64_t{100}, kWindow / 4 - 1, kWindow / 4,
                                   kWindow / 4 + 1, kWindow + 1}) {
      for (const std::int64_t rows : {1, 2, 9}) expect_rows(rows, row, gap);
    }
  }
}

TEST(ReadRows, ThatFillAWindowExactly) {
  // 64 rows of 4096 bytes and what lies between; one more, one less.
  for (const std::int64_t rows : {62, 63, 64, 65, 129}) {
    for (const std::int64_t gap : {0, 1, 64, 65, 66}) expect_rows(rows, 4096 - gap + 1, gap);
  }
}

TEST(TurnOrder, OfSidesAroundItsBlocks) {
  for (const std::size_t bytes : {1, 2, 4, 8, 3}) {
    for (const std::int64_t rows : {1, 31, 32, 33, 65}) {
      for (const std::int64_t columns : {1, 31, 32, 33, 64}) {
        const auto turned = numbered(rows * columns * static_cast<std::int64_t>(bytes));
        std::vector<std::byte> got(turned.size());
        transpose_order(turned, {rows, columns}, bytes, got);
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t c = 0; c < columns; ++c) {
            const auto from = static_cast<std::size_t>(c * rows + r) * bytes;
            const auto to = static_cast<std::size_t>(r * columns + c) * bytes;
            ASSERT_EQ(std::memcmp(&got[to], &turned[from], bytes), 0) << rows << " x " << columns;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera::store
