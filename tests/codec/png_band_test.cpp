#include "codec/png_band.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <numeric>

#include "sample_chunks.hpp"

namespace tessera::codec {
namespace {

constexpr std::size_t kPixelBytes = 3;

/// Rows of a picture: flat, smooth and noisy parts.
Bytes picture(std::size_t width_px, std::size_t rows) {
  Bytes rgb = random_bytes(width_px * rows * kPixelBytes);
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    if (i % 300 < 100) rgb[i] = std::byte{17};
    if (i % 300 >= 180) rgb[i] = static_cast<std::byte>(i / 50);
  }
  return rgb;
}

/// Filters of RFC 2083, byte by byte: Sub for the first row, Up for the others.
Bytes naive_filter(std::span<const std::byte> rgb, std::size_t width_px) {
  const std::size_t row_bytes = width_px * kPixelBytes;
  const auto at = [&](std::size_t i) { return std::to_integer<int>(rgb[i]); };
  Bytes filtered;
  for (std::size_t begin = 0; begin < rgb.size(); begin += row_bytes) {
    filtered.push_back(begin == 0 ? std::byte{1} : std::byte{2});
    for (std::size_t i = begin; i < begin + row_bytes; ++i) {
      const int above = begin == 0 ? 0 : at(i - row_bytes);
      const int left = i - begin < kPixelBytes ? 0 : at(i - kPixelBytes);
      filtered.push_back(static_cast<std::byte>(at(i) - (begin == 0 ? left : above)));
    }
  }
  return filtered;
}

Bytes inflated(const Bytes& stream, std::size_t expected) {
  Bytes out(expected + 1);
  uLongf size = out.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                       reinterpret_cast<const Bytef*>(stream.data()), stream.size()),
            Z_OK);
  out.resize(size);
  return out;
}

struct Joined {
  Bytes stream = zlib_header();
  Bytes filtered;
  std::uint32_t adler32 = 1;

  void add(const PngBand& band, const Bytes& expected) {
    EXPECT_EQ(band.filtered_bytes, expected.size());
    stream.insert(stream.end(), band.deflated.begin(), band.deflated.end());
    filtered.insert(filtered.end(), expected.begin(), expected.end());
    adler32 = adler32_join(adler32, band.adler32, band.filtered_bytes);
  }

  void close() {
    const Bytes trailer = zlib_trailer(adler32);
    stream.insert(stream.end(), trailer.begin(), trailer.end());
  }
};

TEST(PngBand, BandsOfAnySplitJoinIntoOneZlibStreamOfTheFilteredRows) {
  std::mt19937 random(3);
  PngBandEncoder encoder;
  for (std::size_t width_px : {1, 2, 5, 127, 1000, 6000}) {
    const std::size_t rows = 60;
    const Bytes rgb = picture(width_px, rows);
    for (int split = 0; split < 3; ++split) {
      Joined joined;
      for (std::size_t row = 0; row < rows;) {
        const std::size_t height = std::min<std::size_t>(1 + random() % 40, rows - row);
        const auto band_rgb =
            std::span(rgb).subspan(row * width_px * kPixelBytes, height * width_px * kPixelBytes);
        joined.add(encoder.encode(band_rgb, static_cast<std::int64_t>(width_px)),
                   naive_filter(band_rgb, width_px));
        row += height;
      }
      joined.close();
      // zlib checks the Adler-32 at the end of the stream.
      ASSERT_EQ(inflated(joined.stream, joined.filtered.size()), joined.filtered) << width_px;
    }
  }
}

TEST(PngBand, ChecksumIsTheOneOfTheFilteredBytes) {
  const Bytes rgb = picture(333, 50);
  const Bytes filtered = naive_filter(rgb, 333);
  const PngBand band = PngBandEncoder().encode(rgb, 333);
  EXPECT_EQ(band.adler32, adler32(1, reinterpret_cast<const Bytef*>(filtered.data()),
                                  static_cast<uInt>(filtered.size())));
}

TEST(PngBand, ARowLargerThanAnyCacheIsFilteredInPieces) {
  const std::size_t width_px = 300'000;
  const Bytes rgb = picture(width_px, 3);
  Joined joined;
  joined.add(PngBandEncoder().encode(rgb, width_px), naive_filter(rgb, width_px));
  joined.close();
  EXPECT_EQ(inflated(joined.stream, joined.filtered.size()), joined.filtered);
}

/// A piece has 384 KiB of filtered bytes: bands one byte or pixel shorter, as long, longer.
TEST(PngBand, OnBothSidesOfAPieceIsOneStream) {
  constexpr std::size_t kPieceBytes = 384 * 1024;
  for (const std::size_t rows : {1, 2, 3}) {
    for (const std::size_t beyond : {0, 1, 2, 3, 4}) {
      const std::size_t width_px = kPieceBytes / (kPixelBytes * rows) + beyond - 2;
      const Bytes rgb = picture(width_px, rows);
      Joined joined;
      joined.add(PngBandEncoder().encode(rgb, static_cast<std::int64_t>(width_px)),
                 naive_filter(rgb, width_px));
      joined.close();
      EXPECT_EQ(inflated(joined.stream, joined.filtered.size()), joined.filtered) << width_px;
    }
  }
}

TEST(PngBand, NoBandsAtAllAreAnEmptyStream) {
  Joined joined;
  joined.close();
  EXPECT_TRUE(inflated(joined.stream, 0).empty());
}

TEST(PngBand, DependsOnlyOnItsOwnRowsAndNotOnEarlierBands) {
  const Bytes first = picture(500, 40);
  const Bytes second = random_bytes(500 * kPixelBytes * 20, 9);
  PngBandEncoder used;
  used.encode(second, 500);
  EXPECT_EQ(used.encode(first, 500).deflated, PngBandEncoder().encode(first, 500).deflated);
}

TEST(PngBand, JoinedChecksumsEqualTheChecksumOfTheWhole) {
  const Bytes bytes = random_bytes(100'000);
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  const auto whole = static_cast<std::uint32_t>(adler32(1, data, 100'000));
  for (uInt cut : {0u, 1u, 65521u, 99'999u, 100'000u}) {
    const auto first = static_cast<std::uint32_t>(adler32(1, data, cut));
    const auto second = static_cast<std::uint32_t>(adler32(1, data + cut, 100'000 - cut));
    EXPECT_EQ(adler32_join(first, second, 100'000 - cut), whole) << cut;
  }
}

}  // namespace
}  // namespace tessera::codec
