#include <gtest/gtest.h>

#include "base/error.hpp"
#include "codec/chunk.hpp"
#include "every_filter.hpp"

namespace tessera::codec {
namespace {

using Kind = Filter::Kind;

std::string complaint(const Filters& filters, const Bytes& stored, std::size_t raw_bytes,
                      std::uint32_t mask = 0) {
  Bytes raw(raw_bytes);
  try {
    ChunkDecoder(filters).decode(stored, mask, raw);
    return "";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::failed);
    return error.what();
  }
}

void expect_decoded(const Bytes& raw, std::size_t width) {
  for (const Sample& sample : every_filter(raw, width)) {
    ChunkDecoder decoder(sample.filters);
    Bytes decoded(raw.size());
    for (int twice = 0; twice < 2; ++twice) {
      std::ranges::fill(decoded, std::byte{0xA5});
      ASSERT_NO_THROW(decoder.decode(sample.stored, 0, decoded))
          << sample.name << ", " << width << ": "
          << complaint(sample.filters, sample.stored, raw.size());
      ASSERT_EQ(decoded, raw) << sample.name << ", width " << width << ", " << raw.size();
    }
  }
}

TEST(EveryFilter, IsUndoneForElementsOfAllWidths) {
  expect_decoded(wavy<float>(1750), 1);
  expect_decoded(wavy<std::uint16_t>(40001), 2);
  expect_decoded(wavy<float>(9999), 4);
  expect_decoded(wavy<double>(30003), 8);
}

TEST(EveryFilter, IsUndoneOfNoiseAndOfOneValue) {
  for (const std::size_t width : {1, 2, 4, 8}) {
    expect_decoded(random_bytes(8 * 4099), width);
    expect_decoded(Bytes(8 * 5003, std::byte{3}), width);
  }
}

TEST(EveryFilter, IsUndoneOfChunksThatAreNoWholeElements) {
  for (const std::size_t bytes : {64, 65, 127, 128, 129, 1023, 8191, 8193, 16385}) {
    expect_decoded(random_bytes(bytes, 5), 1);
    expect_decoded(Bytes(bytes, std::byte{9}), 4);
    Bytes mixed = random_bytes(bytes, 2);
    std::fill_n(mixed.begin(), bytes / 2, std::byte{1});
    expect_decoded(mixed, 2);
    if (bytes > 300) expect_decoded(mixed, 8);
  }
}

TEST(EveryFilter, OfOddWidthsIsUndone) {
  const Bytes raw = wavy<std::uint32_t>(3001);
  const auto zstd = [](const Bytes& bytes) { return encode_zstd(bytes); };
  Bytes decoded(raw.size());
  for (const std::size_t width : {3, 5, 12, 16, 17, 24, 255}) {
    const Filters filters{{.kind = Kind::bitshuffle_zstd, .element_bytes = width}};
    ChunkDecoder(filters).decode(encode_bitshuffle(raw, width, 256, zstd), 0, decoded);
    EXPECT_EQ(decoded, raw) << width;
  }
}

TEST(EveryFilter, BloscOfAnyWidthInBlocksOfAnySizeIsUndone) {
  const Bytes raw = wavy<std::uint32_t>(7003);
  for (const std::size_t width : {1, 2, 3, 7, 8, 15, 16, 17, 32, 255}) {
    for (const std::size_t block_bytes : {0, 128, 500, 2048, 4096}) {
      for (const int shuffle : {0, 1, 2}) {
        for (const char* const compressor : {"blosclz", "lz4", "zlib", "zstd"}) {
          Bytes decoded(raw.size());
          const Bytes frame = encode_blosc(raw, {.compressor = compressor,
                                                 .shuffle = shuffle,
                                                 .element_bytes = width,
                                                 .block_bytes = block_bytes});
          ChunkDecoder(Filters{{.kind = Kind::blosc}}).decode(frame, 0, decoded);
          ASSERT_EQ(decoded, raw) << compressor << " " << width << " " << block_bytes;
        }
      }
    }
  }
}

TEST(EveryFilter, ThatWasSkippedIsNotUndone) {
  const Bytes raw = random_bytes(4096);
  for (const Sample& sample : every_filter(raw, 4)) {
    const auto all = (1U << sample.filters.size()) - 1;
    EXPECT_EQ(complaint(sample.filters, raw, raw.size(), all), "") << sample.name;
    EXPECT_NE(complaint(sample.filters, Bytes(4095), raw.size(), all), "") << sample.name;
  }
  const Filters filters{{.kind = Kind::shuffle, .element_bytes = 4}, {.kind = Kind::zstd}};
  EXPECT_EQ(complaint(filters, naive_shuffle(raw, 4), raw.size(), 0b10), "");
  EXPECT_EQ(complaint(filters, encode_zstd(raw), raw.size(), 0b01), "");
}

TEST(EveryFilter, NoticesAChunkOfAnotherSize) {
  const Bytes raw = wavy<float>(2000);
  for (const Sample& sample : every_filter(raw, 4)) {
    for (const std::size_t bytes : {raw.size() - 4, raw.size() + 4, std::size_t{1}}) {
      const std::string words = complaint(sample.filters, sample.stored, bytes);
      EXPECT_NE(words, "") << sample.name << " " << bytes;
      if (sample.carries_size) {
        EXPECT_NE(words.find("claims " + std::to_string(raw.size()) + " bytes"), std::string::npos)
            << sample.name << ": " << words;
      }
    }
  }
}

TEST(EveryFilter, NoticesThatItsStreamWasCut) {
  const Bytes raw = wavy<float>(500);
  for (const Sample& sample : every_filter(raw, 4)) {
    // libaec pads the stream's last bits, so a byte less may hold all of it.
    const std::size_t most = sample.stored.size() - (sample.name.starts_with("szip") ? 8 : 1);
    for (std::size_t size = 0; size <= most; size += size < 40 ? 1 : 7) {
      const Bytes cut(sample.stored.begin(), sample.stored.begin() + static_cast<int>(size));
      EXPECT_NE(complaint(sample.filters, cut, raw.size()), "") << sample.name << " " << size;
    }
  }
}

TEST(EveryFilter, WithAChecksumNoticesATurnedBit) {
  const Bytes raw = wavy<float>(500);
  for (const Filters& filters :
       {Filters{{.kind = Kind::crc32c}}, Filters{{.kind = Kind::fletcher32}}}) {
    const bool is_crc = filters[0].kind == Kind::crc32c;
    Bytes stored = is_crc ? with_crc32c(raw) : with_fletcher32(raw);
    stored[77] ^= std::byte{4};
    EXPECT_NE(complaint(filters, stored, raw.size()).find("checksum"), std::string::npos);
  }
}

TEST(EveryFilter, SaysWhatIsDamaged) {
  const Bytes raw = wavy<float>(500);
  const auto says = [&](Kind kind, const Bytes& stored) {
    return complaint({{.kind = kind, .element_bytes = 4}}, stored, raw.size());
  };
  const Bytes blosc = encode_blosc(raw, {});
  const auto with = [](Bytes bytes, std::size_t at, unsigned value) {
    bytes[at] = static_cast<std::byte>(value);
    return bytes;
  };
  EXPECT_NE(says(Kind::blosc, with(blosc, 0, 5)).find("has version 5"), std::string::npos);
  EXPECT_NE(says(Kind::blosc, with(blosc, 3, 0)).find("elements of no bytes"), std::string::npos);
  EXPECT_NE(says(Kind::blosc, with(blosc, 2, 0xF1)).find("compressor 7"), std::string::npos);
  EXPECT_NE(says(Kind::blosc, with(blosc, 11, 0x7F)).find("has blocks of"), std::string::npos);
  EXPECT_NE(says(Kind::blosc, with(blosc, 19, 0x7F)).find("behind its end"), std::string::npos);
  EXPECT_NE(says(Kind::zstd, with(encode_zstd(raw), 0, 0x27)).find("no frame"), std::string::npos);
  const Bytes frame = encode_zstd(raw);
  EXPECT_NE(says(Kind::zstd, with(frame, frame.size() - 1, 1)).find("checksum"), std::string::npos);
  EXPECT_NE(says(Kind::zstd, join({frame, frame})).find("decodes to more"), std::string::npos);
  EXPECT_NE(says(Kind::gzip, join({encode_gzip(raw), Bytes(1)})).find("gzip"), std::string::npos);
  const Bytes lz4 = encode_lz4_blocks(raw, 512);
  EXPECT_NE(says(Kind::lz4, with(lz4, 10, 0)).find("blocks of no bytes"), std::string::npos);
  EXPECT_NE(says(Kind::lz4, join({lz4, Bytes(1)})).find("behind its end"), std::string::npos);
  EXPECT_NE(says(Kind::lz4, with(lz4, 12, 0x7F)).find("ends early"), std::string::npos);
  const Bytes bits = encode_bitshuffle(raw, 4, 64, encode_lz4_block);
  EXPECT_NE(says(Kind::bitshuffle_lz4, with(bits, 11, 3)).find("blocks of 259 bytes"),
            std::string::npos);
}

TEST(Sizes, AreKnownBehindNothingButAChecksum) {
  const Filter shuffle{.kind = Kind::shuffle};
  const Filter zstd{.kind = Kind::zstd};
  const Filter sum{.kind = Kind::crc32c};
  EXPECT_TRUE(sizes_are_known({}));
  EXPECT_TRUE(sizes_are_known(Filters{sum, shuffle, sum, zstd, sum}));
  EXPECT_FALSE(sizes_are_known(Filters{zstd, shuffle}));
  EXPECT_FALSE(sizes_are_known(Filters{zstd, zstd}));
}

}  // namespace
}  // namespace tessera::codec
