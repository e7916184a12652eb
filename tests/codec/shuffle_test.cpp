#include "codec/shuffle.hpp"

#include <gtest/gtest.h>

#include "sample_chunks.hpp"

namespace tessera::codec {
namespace {

// Every size up to a few of the widest vectors, so that each remainder and each tail occurs.
constexpr std::size_t kMaxBytes = 1200;

TEST(Shuffle, EqualsTheByteByByteLoopForEverySize) {
  for (std::size_t element_bytes : {1, 2, 4, 8}) {
    for (std::size_t size = 0; size <= kMaxBytes; ++size) {
      const Bytes from = random_bytes(size, static_cast<unsigned>(size));
      Bytes to(size);
      shuffle(from, element_bytes, to);
      ASSERT_EQ(to, naive_shuffle(from, element_bytes)) << size << " of " << element_bytes;
    }
  }
}

TEST(Shuffle, UnshuffleUndoesItForEverySize) {
  for (std::size_t element_bytes : {1, 2, 4, 8}) {
    for (std::size_t size = 0; size <= kMaxBytes; ++size) {
      const Bytes from = random_bytes(size, static_cast<unsigned>(size));
      Bytes back(size);
      unshuffle(naive_shuffle(from, element_bytes), element_bytes, back);
      ASSERT_EQ(back, from) << size << " of " << element_bytes;
    }
  }
}

TEST(Shuffle, DoesNotNeedAlignedMemory) {
  const Bytes padded = random_bytes(1001 * 4 + 3);
  const Bytes from(padded.begin() + 3, padded.end());
  Bytes to(from.size() + 1);
  shuffle(std::span(padded).subspan(3), 4, std::span(to).subspan(1));
  EXPECT_EQ(Bytes(to.begin() + 1, to.end()), naive_shuffle(from, 4));
}

}  // namespace
}  // namespace tessera::codec
