#include "codec/run_deflate.hpp"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <zlib.h>

#include <utility>

#include "codec/png_band.hpp"
#include "sample_chunks.hpp"

namespace tessera::codec {
namespace {

/// Deflates and checks that nothing beyond the bound was touched.
Bytes deflated(RunDeflate& deflater, const Bytes& in) {
  Bytes out(RunDeflate::bound(in.size()) + 8, std::byte{0xA5});
  const std::size_t size = deflater.deflate(in, std::span(out).first(out.size() - 8));
  for (std::size_t i = out.size() - 8; i < out.size(); ++i) EXPECT_EQ(out[i], std::byte{0xA5});
  EXPECT_LE(size, RunDeflate::bound(in.size()));
  out.resize(size);
  return out;
}

/// Two readers that share no code must agree.
void expect_inflates_to(const Bytes& blocks, const Bytes& in) {
  Bytes stream = zlib_header();
  stream.insert(stream.end(), blocks.begin(), blocks.end());
  const auto sum = libdeflate_adler32(1, in.data(), in.size());
  const Bytes trailer = zlib_trailer(sum);
  stream.insert(stream.end(), trailer.begin(), trailer.end());

  Bytes by_zlib(in.size() + 1);
  uLongf size = by_zlib.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(by_zlib.data()), &size,
                       reinterpret_cast<const Bytef*>(stream.data()), stream.size()),
            Z_OK);
  by_zlib.resize(size);
  ASSERT_EQ(by_zlib, in);

  Bytes by_libdeflate(in.size());
  auto* decompressor = libdeflate_alloc_decompressor();
  const auto result =
      libdeflate_zlib_decompress(decompressor, stream.data(), stream.size(), by_libdeflate.data(),
                                 by_libdeflate.size(), nullptr);
  libdeflate_free_decompressor(decompressor);
  ASSERT_EQ(result, LIBDEFLATE_SUCCESS);
  ASSERT_EQ(by_libdeflate, in);
}

/// Stretches of noise and of one repeated pixel, of lengths up to `longest`.
Bytes runs_and_noise(std::size_t size, std::size_t longest, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes = random_bytes(size, seed);
  for (std::size_t i = 3; i < size;) {
    const std::size_t end = std::min(size, i + random() % longest);
    for (; i < end; ++i) bytes[i] = bytes[i - 3];
    i += 1 + random() % longest / 2;
  }
  return bytes;
}

TEST(RunDeflate, InflatesToWhatItWasForEverySmallSize) {
  RunDeflate deflater;
  for (std::size_t size = 0; size < 700; ++size) {
    const Bytes flat(size, std::byte{42});
    expect_inflates_to(deflated(deflater, flat), flat);
    const Bytes mixed = runs_and_noise(size, 60, static_cast<unsigned>(size));
    expect_inflates_to(deflated(deflater, mixed), mixed);
  }
}

TEST(RunDeflate, InflatesToWhatItWasForRunsOfAnyLength) {
  RunDeflate deflater;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Bytes in = runs_and_noise(20'000, 10 + seed * 50, seed);
    expect_inflates_to(deflated(deflater, in), in);
  }
}

TEST(RunDeflate, StoresNoiseAndNeverGrowsBeyondItsBound) {
  RunDeflate deflater;
  for (std::size_t size : {1, 100, 65534, 65535, 65536, 200'000}) {
    const Bytes noise = random_bytes(size);
    const Bytes blocks = deflated(deflater, noise);
    EXPECT_LE(blocks.size(), size + 5 * (size / 65535 + 1));
    expect_inflates_to(blocks, noise);
  }
}

TEST(RunDeflate, CountsThatWouldNeedLongerCodesThanAllowedStillInflate) {
  // Frequencies like Fibonacci's numbers make the deepest tree.
  Bytes in;
  std::size_t count = 1, next = 1;
  for (int symbol = 0; symbol < 24; ++symbol) {
    in.insert(in.end(), count, static_cast<std::byte>(symbol * 7));
    next += std::exchange(count, next);
  }
  std::shuffle(in.begin(), in.end(), std::mt19937(4));
  RunDeflate deflater;
  expect_inflates_to(deflated(deflater, in), in);
}

TEST(RunDeflate, IsAsSmallAsZlibsFastestOnFilteredPixels) {
  // Like Up-filtered rows: mostly unchanged, small differences along lines.
  std::mt19937 random(8);
  Bytes in(300'000);
  for (std::size_t i = 0; i < in.size();) {
    for (std::size_t k = 0; k < 3 * (random() % 6) && i < in.size(); ++k) {
      in[i++] = static_cast<std::byte>(static_cast<int>(random() % 17) - 8);
    }
    i += 3 * (random() % 60);
  }
  uLongf by_zlib = compressBound(in.size());
  Bytes out(by_zlib);
  ASSERT_EQ(compress2(reinterpret_cast<Bytef*>(out.data()), &by_zlib,
                      reinterpret_cast<const Bytef*>(in.data()), in.size(), 1),
            Z_OK);
  RunDeflate deflater;
  EXPECT_LE(deflated(deflater, in).size(), by_zlib);
}

TEST(RunDeflate, AConstantShrinksFourHundredfold) {
  const Bytes flat(256 * 1024, std::byte{0});
  RunDeflate deflater;
  EXPECT_LT(deflated(deflater, flat).size(), flat.size() / 400);
}

}  // namespace
}  // namespace tessera::codec
