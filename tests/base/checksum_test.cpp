#include "base/checksum.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <string_view>

#include "base/bytes.hpp"

namespace tessera::base {
namespace {

TEST(Crc32c, GivesTheCheckValueOfTheCatalogue) {
  EXPECT_EQ(crc32c(std::as_bytes(std::span(std::string_view("123456789")))), 0xE3069283u);
}

TEST(Crc32c, GivesTheTestVectorsOfRfc3720) {
  Bytes bytes(32, std::byte{0});
  EXPECT_EQ(crc32c(bytes), 0x8A9136AAu);
  bytes.assign(32, std::byte{0xFF});
  EXPECT_EQ(crc32c(bytes), 0x62A8AB43u);
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::byte>(i);
  EXPECT_EQ(crc32c(bytes), 0x46DD794Eu);
}

TEST(Crc32c, ContinuesWhereTheFirstPartEnded) {
  std::mt19937 random(5);
  Bytes bytes(5000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  const std::span<const std::byte> all(bytes);
  for (std::size_t cut : {0, 1, 7, 64, 2500, 4999, 5000}) {
    EXPECT_EQ(crc32c(all.subspan(cut), crc32c(all.first(cut))), crc32c(all)) << cut;
  }
}

/// ISA-L is given 2^30 bytes at a time.
TEST(Crc32c, OfMoreThanAPieceIsThatOfItsParts) {
  constexpr std::size_t kPiece = std::size_t{1} << 30;
  // Never written to, and so no memory of its own.
  const std::unique_ptr<void, decltype(&std::free)> zeros(std::calloc(kPiece + 3, 1), &std::free);
  const std::span<const std::byte> all(static_cast<const std::byte*>(zeros.get()), kPiece + 3);
  const std::uint32_t most = crc32c(all.first(kPiece - 1));
  for (const std::size_t size : {kPiece, kPiece + 1, kPiece + 3}) {
    EXPECT_EQ(crc32c(all.first(size)), crc32c(all.first(size - kPiece + 1), most)) << size;
  }
}

TEST(Crc32c, OfNothingIsZero) {
  EXPECT_EQ(crc32c({}), 0u);
}

}  // namespace
}  // namespace tessera::base
