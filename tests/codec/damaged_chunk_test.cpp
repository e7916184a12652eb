#include <gtest/gtest.h>

#include "base/error.hpp"
#include "codec/chunk.hpp"
#include "sample_chunks.hpp"

namespace tessera::codec {
namespace {

using base::ElementType;

class DamagedChunk : public ::testing::Test {
 protected:
  /// What the decoder says to these bytes; "" if it takes them.
  std::string complaint(const Bytes& stored, std::uint32_t filter_mask, std::size_t raw_bytes) {
    Bytes raw(raw_bytes);
    try {
      decoder_.decode(stored, filter_mask, raw);
      return "";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::ExitCode::failed);
      return error.what();
    }
  }

  void expect_complaint(const std::string& words, const Bytes& stored, std::uint32_t filter_mask,
                        std::size_t raw_bytes) {
    EXPECT_NE(complaint(stored, filter_mask, raw_bytes).find(words), std::string::npos)
        << complaint(stored, filter_mask, raw_bytes);
  }

  const Bytes raw_ = wavy_of(ElementType::u32, 4096);
  const Bytes good_ = ChunkEncoder(ElementType::u32, 1).encode(raw_).bytes;
  ChunkDecoder decoder_{ElementType::u32};
};

TEST_F(DamagedChunk, WithAWrongChecksumSaysSo) {
  Bytes bad = good_;
  bad.back() ^= std::byte{1};
  expect_complaint("wrong Adler-32", bad, kAllFilters, raw_.size());
}

TEST_F(DamagedChunk, WithoutAZlibHeadIsNoStream) {
  Bytes bad = good_;
  bad[0] = std::byte{0};
  bad[2] = std::byte{0xFF};
  expect_complaint("not a valid zlib stream", bad, kAllFilters, raw_.size());
}

TEST_F(DamagedChunk, CutAnywhereIsDetected) {
  for (std::size_t size = 0; size < good_.size(); size += size < 16 ? 1 : good_.size() / 50) {
    const Bytes cut(good_.begin(), good_.begin() + size);
    EXPECT_NE(complaint(cut, kAllFilters, raw_.size()), "") << size;
  }
}

TEST_F(DamagedChunk, WithAnyBitTurnedIsDetectedOrChangesNoPixel) {
  int harmless = 0;
  int turned = 0;
  for (std::size_t i = 0; i < good_.size(); i += i + 16 < good_.size() && i > 16 ? 5 : 1) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes bad = good_;
      bad[i] ^= static_cast<std::byte>(1 << bit);
      ++turned;
      if (!complaint(bad, kAllFilters, raw_.size()).empty()) continue;
      Bytes raw(raw_.size());
      decoder_.decode(bad, kAllFilters, raw);
      EXPECT_EQ(raw, raw_) << i << " bit " << bit;
      ++harmless;
    }
  }
  // Some bits mean nothing: the level and the window in the head, the codes of distances that do
  // not occur (ISA-L writes more of them on ARM), what fills the last byte up.
  EXPECT_LE(harmless, turned / 20);
}

TEST_F(DamagedChunk, WithBytesBehindItsEndSaysSo) {
  Bytes bad = good_;
  bad.push_back(std::byte{0});
  expect_complaint("its zlib stream ends after", bad, kAllFilters, raw_.size());
}

TEST_F(DamagedChunk, OfAnotherSizeSaysWhetherTooLongOrTooShort) {
  expect_complaint("inflates to more", good_, kAllFilters, raw_.size() - 4);
  expect_complaint("inflates to less", good_, kAllFilters, raw_.size() + 4);
}

TEST_F(DamagedChunk, StoredRawWithTheWrongLengthSaysSo) {
  for (std::uint32_t mask : {0b10u, 0b11u}) {
    expect_complaint("stored without compression", good_, mask, raw_.size());
  }
}

TEST_F(DamagedChunk, WithAnUnknownFilterMaskIsRefused) {
  expect_complaint("filter mask 0x4", good_, 0b100, raw_.size());
}

TEST_F(DamagedChunk, LeavesTheDecoderUsable) {
  Bytes bad = good_;
  bad[good_.size() / 2] ^= std::byte{0x55};
  EXPECT_NE(complaint(bad, kAllFilters, raw_.size()), "");
  Bytes raw(raw_.size());
  decoder_.decode(good_, kAllFilters, raw);
  EXPECT_EQ(raw, raw_);
}

}  // namespace
}  // namespace tessera::codec
