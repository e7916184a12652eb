// Frames around what a ChunkEncoder makes, read by libblosc and by this project's decoder.
#include "codec/blosc_head.hpp"

#include <blosc.h>
#include <gtest/gtest.h>

#include <random>

#include "codec/blosc.hpp"
#include "codec/chunk.hpp"
#include "tests/codec/sample_chunks.hpp"

namespace tessera::codec {
namespace {

Bytes frame_of(const EncodedChunk& chunk, std::size_t element_bytes, std::size_t raw_bytes) {
  const bool is_stream = chunk.filter_mask == kAllFilters;
  Bytes frame = blosc_head({element_bytes, raw_bytes, is_stream ? chunk.bytes.size() : 0});
  frame.insert(frame.end(), chunk.bytes.begin(), chunk.bytes.end());
  return frame;
}

void expect_read(const Bytes& frame, const Bytes& raw) {
  Bytes decoded(raw.size());
  BloscDecoder().decode(frame, decoded);
  EXPECT_EQ(decoded, raw);
  std::size_t claimed = 0;
  ASSERT_EQ(blosc_cbuffer_validate(frame.data(), frame.size(), &claimed), 0);
  ASSERT_EQ(claimed, raw.size());
  decoded.assign(raw.size(), std::byte{});
  ASSERT_EQ(blosc_decompress_ctx(frame.data(), decoded.data(), decoded.size(), 1),
            static_cast<int>(raw.size()));
  EXPECT_EQ(decoded, raw);
}

TEST(BloscHead, makes_frames_that_others_read) {
  std::mt19937 random(5);
  for (const base::ElementType type : {base::ElementType::u8, base::ElementType::f16,
                                       base::ElementType::f32, base::ElementType::f64}) {
    const std::size_t each = base::element_bytes(type);
    for (const std::size_t elements : {1, 7, 127, 128, 1000, 70001}) {
      for (const unsigned kinds : {1U, 5U, 256U}) {
        Bytes raw(elements * each);
        for (std::byte& byte : raw) byte = static_cast<std::byte>(random() % kinds);
        for (int level = 1; level <= 3; ++level) {
          expect_read(frame_of(ChunkEncoder(type, level).encode(raw), each, raw.size()), raw);
        }
        expect_read(frame_of({raw, kNoFilters}, each, raw.size()), raw);
      }
    }
  }
}

TEST(BloscHead, fits_where_the_frame_is_no_longer_than_a_stored_one) {
  EXPECT_TRUE(fits_blosc({8, 100, 92}));
  EXPECT_FALSE(fits_blosc({8, 100, 93}));
  EXPECT_EQ(blosc_head({8, 100, 92}).size() + 92, blosc_head({8, 100, 0}).size() + 100);
  EXPECT_EQ(blosc_head({8, 100, 0}).size(), std::size_t{BLOSC_MAX_OVERHEAD});
  EXPECT_EQ(kMaxBloscBlockBytes, static_cast<std::size_t>(BLOSC_MAX_BLOCKSIZE));
}

}  // namespace
}  // namespace tessera::codec
