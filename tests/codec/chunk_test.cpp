#include "codec/chunk.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/error.hpp"
#include "codec/igzip.hpp"
#include "sample_chunks.hpp"

namespace tessera::codec {
namespace {

using base::ElementType;

/// Every kind of content at every kind of size: one element, fewer than a vector, none too round.
std::vector<Bytes> samples(ElementType type) {
  std::vector<Bytes> all;
  for (std::size_t count : {1, 2, 3, 5, 17, 63, 64, 65, 255, 1000, 4096, 12345}) {
    all.push_back(wavy_of(type, count));
    all.push_back(random_bytes(count * base::element_bytes(type)));
    all.push_back(uniform(type, count, 0));
    all.push_back(uniform(type, count, 0x43FA0201));
  }
  return all;
}

Bytes decoded(ElementType type, const EncodedChunk& chunk, std::size_t raw_bytes) {
  Bytes raw(raw_bytes, std::byte{0xEE});
  ChunkDecoder(type).decode(chunk.bytes, chunk.filter_mask, raw);
  return raw;
}

TEST(Chunk, ComesBackAsItWasForEveryLevelTypeAndSize) {
  for (ElementType type : kTypes) {
    for (int level = 0; level <= 3; ++level) {
      ChunkEncoder encoder(type, level);
      for (const Bytes& raw : samples(type)) {
        const EncodedChunk chunk = encoder.encode(raw);
        ASSERT_EQ(decoded(type, chunk, raw.size()), raw)
            << base::element_name(type) << " level " << level << " size " << raw.size();
      }
    }
  }
}

/// Stored blocks of deflate have 65535 bytes, its window 32768.
TEST(Chunk, ComesBackOnBothSidesOfTheSizesOfDeflate) {
  for (int level = 1; level <= 3; ++level) {
    ChunkEncoder encoder(ElementType::u16, level);
    for (const std::size_t edge : {32768, 65536, 131072, 262144}) {
      for (const std::size_t size : {edge - 2, edge, edge + 2}) {
        Bytes noise_in_the_middle = uniform(ElementType::u16, size / 2, 7);
        const Bytes noise = random_bytes(size / 2);
        std::ranges::copy(noise,
                          noise_in_the_middle.begin() + static_cast<std::ptrdiff_t>(size / 4));
        for (const Bytes& raw :
             {random_bytes(size), noise_in_the_middle, uniform(ElementType::u16, size / 2, 7),
              wavy_of(ElementType::u16, size / 2)}) {
          ASSERT_EQ(raw.size(), size);
          EXPECT_EQ(decoded(ElementType::u16, encoder.encode(raw), size), raw)
              << size << " level " << level;
        }
      }
    }
  }
}

TEST(Chunk, IsAnOrdinaryZlibStreamOfShuffledBytes) {
  for (ElementType type : kTypes) {
    for (int level = 1; level <= 3; ++level) {
      ChunkEncoder encoder(type, level);
      int deflated = 0;
      for (const Bytes& raw : samples(type)) {
        const EncodedChunk chunk = encoder.encode(raw);
        if (chunk.filter_mask == kNoFilters) continue;
        Bytes planes(raw.size());
        uLongf size = planes.size();
        ASSERT_EQ(
            uncompress(reinterpret_cast<Bytef*>(planes.data()), &size,
                       reinterpret_cast<const Bytef*>(chunk.bytes.data()), chunk.bytes.size()),
            Z_OK);
        ASSERT_EQ(size, raw.size());
        ASSERT_EQ(planes, naive_shuffle(raw, base::element_bytes(type)));
        ++deflated;
      }
      EXPECT_GT(deflated, 15);
    }
  }
}

TEST(Chunk, ThatWouldNotShrinkIsStoredRaw) {
  for (int level = 1; level <= 3; ++level) {
    ChunkEncoder encoder(ElementType::u32, level);
    for (std::size_t size : {4, 8, 400, 65536}) {
      const Bytes raw = random_bytes(size);
      const EncodedChunk chunk = encoder.encode(raw);
      EXPECT_EQ(chunk.filter_mask, kNoFilters);
      EXPECT_EQ(chunk.bytes, raw);
    }
  }
}

TEST(Chunk, ThatComesShuffledDecodesAsIfItHadNot) {
  for (ElementType type : kTypes) {
    for (int level = 1; level <= 3; ++level) {
      ChunkEncoder encoder(type, level);
      for (const Bytes& raw : samples(type)) {
        const Bytes planes = naive_shuffle(raw, base::element_bytes(type));
        const EncodedChunk chunk = encoder.encode_shuffled(planes);
        ASSERT_EQ(decoded(type, chunk, raw.size()), raw);
        ASSERT_LE(chunk.bytes.size(), raw.size());
      }
    }
  }
}

TEST(Chunk, OfOneValueThatNobodyWroteOutDecodesToThatValue) {
  for (ElementType type : kTypes) {
    for (int level = 0; level <= 3; ++level) {
      ChunkEncoder encoder(type, level);
      for (const std::size_t count : {1, 2, 7, 64, 12345, 12345}) {
        const Bytes raw = uniform(type, count, 0x43FA0201);
        const auto value = std::span(raw).first(base::element_bytes(type));
        const EncodedChunk chunk = encoder.encode_uniform(value, raw.size());
        ASSERT_EQ(decoded(type, chunk, raw.size()), raw) << level << " " << count;
        if (level > 0 && count > 1000) {
          EXPECT_LT(chunk.bytes.size(), raw.size() / 50);
        }
      }
    }
  }
}

TEST(Chunk, OfLevelZeroIsStoredRaw) {
  const Bytes raw = wavy_of(ElementType::u16, 4096);
  const EncodedChunk chunk = ChunkEncoder(ElementType::u16, 0).encode(raw);
  EXPECT_EQ(chunk.filter_mask, kNoFilters);
  EXPECT_EQ(chunk.bytes, raw);
}

TEST(Chunk, IsNeverLargerThanItsPixelsAndHigherLevelsAreSmaller) {
  const Bytes raw = wavy_of(ElementType::u32, 65536);
  std::vector<std::size_t> sizes;
  for (int level = 0; level <= 3; ++level) {
    sizes.push_back(ChunkEncoder(ElementType::u32, level).encode(raw).bytes.size());
  }
  EXPECT_EQ(sizes[0], raw.size());
  EXPECT_LT(sizes[1], raw.size() / 5);
  EXPECT_LT(sizes[2], sizes[1]);
  EXPECT_LT(sizes[3], sizes[2]);
}

TEST(Chunk, OfOneValueHasTheSameBytesHoweverOftenAndWhateverCameBetween) {
  for (const ElementType type : {ElementType::u16, ElementType::u64}) {
    for (int level = 1; level <= 3; ++level) {
      ChunkEncoder encoder(type, level);
      // More values and sizes than are remembered, twice over.
      for (int round = 0; round < 2; ++round) {
        for (std::uint64_t value = 0; value < 20; ++value) {
          for (std::size_t count : {4096, 1000}) {
            const Bytes raw = uniform(type, count, value << 32 | value);
            const EncodedChunk chunk = encoder.encode(raw);
            EXPECT_EQ(chunk.bytes, ChunkEncoder(type, level).encode(raw).bytes);
            ASSERT_EQ(decoded(type, chunk, raw.size()), raw);
          }
        }
      }
    }
  }
}

/// Memory that was used before holds other windows of deflate than its whole one, which only the
/// encoder may set.
TEST(Chunk, FindsWhatComesBackWhateverItsMemoryHeldBefore) {
  const Bytes block = random_bytes(1000);
  Bytes raw;
  for (int i = 0; i < 20; ++i) raw.insert(raw.end(), block.begin(), block.end());
  for (int round = 0; round < 3; ++round) {
    {
      const std::vector<std::uint16_t> before(Igzip::memory_bytes() / 2, 8);
      ASSERT_EQ(before.back(), 8);
    }
    ChunkEncoder encoder(ElementType::u8, 1);
    EXPECT_LT(encoder.encode(raw).bytes.size(), raw.size() / 4);
  }
}

TEST(Chunk, ThatDiffersInItsLastBitIsNotTakenForUniform) {
  ChunkEncoder encoder(ElementType::u32, 1);
  Bytes raw = uniform(ElementType::u32, 5000, 1000);
  encoder.encode(raw);
  raw.back() ^= std::byte{0x80};
  EXPECT_EQ(decoded(ElementType::u32, encoder.encode(raw), raw.size()), raw);
}

TEST(Chunk, IsReadWithEveryCombinationOfSkippedFilters) {
  const Bytes raw = wavy_of(ElementType::u32, 999);
  const Bytes planes = naive_shuffle(raw, 4);
  uLongf size = compressBound(raw.size());
  Bytes unshuffled(size);
  ASSERT_EQ(compress2(reinterpret_cast<Bytef*>(unshuffled.data()), &size,
                      reinterpret_cast<const Bytef*>(raw.data()), raw.size(), 6),
            Z_OK);
  unshuffled.resize(size);
  EXPECT_EQ(decoded(ElementType::u32, {raw, 0b11}, raw.size()), raw);
  EXPECT_EQ(decoded(ElementType::u32, {planes, 0b10}, raw.size()), raw);
  EXPECT_EQ(decoded(ElementType::u32, {unshuffled, 0b01}, raw.size()), raw);
}

TEST(Chunk, LevelOutsideTheRangeIsAUsageError) {
  for (int level : {-1, 4}) {
    try {
      const ChunkEncoder encoder(ElementType::u16, level);
      ADD_FAILURE() << level;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::ExitCode::usage);
    }
  }
}

}  // namespace
}  // namespace tessera::codec
