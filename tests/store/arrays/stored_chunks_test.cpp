#include "store/arrays/stored_chunks.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace tessera::store {
namespace {

struct Given {
  StoredChunk* chunk;
  std::span<std::byte> bytes;
  std::byte mark;
};

void give(StoredChunks& chunks, std::size_t bytes, std::vector<Given>& given) {
  StoredChunk* const chunk = chunks.add(bytes);
  if (chunk == nullptr) return;
  ASSERT_EQ(chunk->bytes.size(), bytes);
  const auto mark = static_cast<std::byte>(given.size() + 1);
  std::memset(chunk->bytes.data(), std::to_integer<int>(mark), bytes);
  given.push_back({chunk, chunk->bytes, mark});
}

/// Neither moved nor written over by what came later.
void expect_kept(const std::vector<Given>& given) {
  for (const Given& one : given) {
    EXPECT_EQ(one.chunk->bytes.data(), one.bytes.data());
    for (const std::byte b : one.bytes) ASSERT_EQ(b, one.mark);
  }
}

TEST(StoredChunks, KeepRoomWhereItIsWhateverIsAbsentBefore) {
  for (const std::size_t absent : {0, 1, 140}) {
    StoredChunks chunks;
    std::vector<Given> given;
    for (std::size_t i = 0; i < absent; ++i) EXPECT_TRUE(chunks.add_missing());
    for (int i = 0; i < 200; ++i) give(chunks, 1000, given);
    EXPECT_EQ(given.size(), 200U);
    expect_kept(given);
  }
}

TEST(StoredChunks, KeepRoomWhereItIsInAnyOrder) {
  std::mt19937_64 random(4);
  StoredChunks chunks;
  for (int round = 0; round < 200; ++round) {
    chunks.clear();
    std::vector<Given> given;
    for (int i = 0; i < 40; ++i) {
      if (random() % 3 == 0) {
        chunks.add_missing();
      } else {
        give(chunks, random() % (random() % 20 == 0 ? 3 * StoredChunks::kMaxBytes : 9000), given);
      }
    }
    expect_kept(given);
  }
}

TEST(StoredChunks, HaveRoomForSoManyBytesAndNoMore) {
  for (const std::size_t first : {StoredChunks::kMaxBytes - 64, StoredChunks::kMaxBytes - 63,
                                  StoredChunks::kMaxBytes, StoredChunks::kMaxBytes + 1}) {
    StoredChunks chunks;
    std::vector<Given> given;
    give(chunks, first, given);
    ASSERT_EQ(given.size(), 1U);
    give(chunks, 64, given);
    EXPECT_EQ(given.size(), first + 64 <= StoredChunks::kMaxBytes ? 2U : 1U) << first;
    expect_kept(given);
  }
}

TEST(StoredChunks, AreSoManyAndNoMoreWhetherTheyAreThereOrNot) {
  for (const bool there : {false, true}) {
    StoredChunks chunks;
    const auto add = [&] { return there ? chunks.add(1) != nullptr : chunks.add_missing(); };
    for (std::size_t i = 0; i < StoredChunks::kMaxChunks; ++i) EXPECT_TRUE(add()) << i;
    EXPECT_FALSE(add());
    EXPECT_EQ(chunks.add(1), nullptr);
    EXPECT_FALSE(chunks.add_missing());
    EXPECT_EQ(chunks.chunks().size(), StoredChunks::kMaxChunks);
  }
}

TEST(StoredChunks, TakeALargeOneAlone) {
  StoredChunks chunks;
  chunks.add_missing();
  StoredChunk* const large = chunks.add(5 * StoredChunks::kMaxBytes);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(large->bytes.size(), 5 * StoredChunks::kMaxBytes);
  EXPECT_EQ(chunks.add(1), nullptr);
  chunks.clear();
  ASSERT_NE(chunks.add(1), nullptr);
  EXPECT_EQ(chunks.add(StoredChunks::kMaxBytes), nullptr);
}

TEST(StoredChunks, TakeNoEndOfAbsentOnes) {
  StoredChunks chunks;
  for (std::size_t i = 0; i < StoredChunks::kMaxChunks; ++i) EXPECT_TRUE(chunks.add_missing());
  EXPECT_FALSE(chunks.add_missing());
  EXPECT_EQ(chunks.add(1), nullptr);
  EXPECT_EQ(chunks.chunks().size(), StoredChunks::kMaxChunks);
}

}  // namespace
}  // namespace tessera::store
