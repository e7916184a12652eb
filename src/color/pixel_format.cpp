#include "color/pixel_format.hpp"

#include <cstring>

#include "color/linear_light.hpp"

namespace tessera::color {
namespace {

/// 65535 / 255: the 16-bit distance of two bytes.
constexpr std::uint32_t kByteStep = 257;
constexpr std::uint32_t kNearest = kByteStep / 2;
/// 2^32 times the R2 sequence's 1/p and 1/p^2, where p^3 = p + 1.
constexpr std::uint64_t kAlongRow = 3242174889;
constexpr std::uint64_t kAlongColumn = 2447445414;
/// Channels a third of the sequence's range apart, so that they do not round up together.
constexpr std::uint64_t kAlongChannels = 0x55555555;

/// 0 to 256: the top bits of the sequence's number at a place.
std::uint32_t threshold(std::uint64_t place) {
  return (static_cast<std::uint32_t>(place) >> 16) * kByteStep >> 16;
}

std::byte to_byte(std::uint16_t code, std::uint32_t rounding) {
  return static_cast<std::byte>((code + rounding) / kByteStep);
}

template <int kChannels>
void store_dithered(std::span<const Pixel> pixels, std::uint64_t place, std::byte* out) {
  for (const Pixel& pixel : pixels) {
    for (std::size_t i = 0; i < 3; ++i) {
      out[i] = to_byte(pixel.channel[i], threshold(place + i * kAlongChannels));
    }
    if (kChannels == 4) out[3] = to_byte(pixel.channel[3], kNearest);
    out += kChannels;
    place += kAlongRow;
  }
}

template <int kChannels>
void store_bytes(std::span<const Pixel> pixels, std::byte* out) {
  for (const Pixel& pixel : pixels) {
    for (std::size_t i = 0; i < kChannels; ++i) out[i] = to_byte(pixel.channel[i], kNearest);
    out += kChannels;
  }
}

template <int kChannels>
void store_words(std::span<const Pixel> pixels, std::byte* out) {
  for (const Pixel& pixel : pixels) {
    for (std::size_t i = 0; i < kChannels; ++i) {
      out[2 * i] = static_cast<std::byte>(pixel.channel[i] >> 8);
      out[2 * i + 1] = static_cast<std::byte>(pixel.channel[i]);
    }
    out += 2 * kChannels;
  }
}

template <int kChannels>
void store_light(std::span<const Pixel> pixels, std::byte* out) {
  for (const Pixel& pixel : pixels) {
    for (std::size_t i = 0; i < kChannels; ++i) {
      const std::uint16_t half = half_light(pixel.channel[i]);
      std::memcpy(out + 2 * i, &half, sizeof half);
    }
    out += 2 * kChannels;
  }
}

template <int kChannels>
void store(const PixelFormat& format, std::span<const Pixel> pixels, std::uint64_t place,
           std::byte* out) {
  if (format.light) return store_light<kChannels>(pixels, out);
  if (format.depth == 16) return store_words<kChannels>(pixels, out);
  if (format.dither) return store_dithered<kChannels>(pixels, place, out);
  store_bytes<kChannels>(pixels, out);
}

}  // namespace

void store_pixels(const PixelFormat& format, std::span<const Pixel> pixels, std::int64_t x,
                  std::int64_t y, std::byte* out) {
  const auto along = [](std::int64_t n, std::uint64_t step) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) * step);
  };
  const std::uint64_t place = std::uint64_t{along(x, kAlongRow)} + along(y, kAlongColumn);
  format.alpha ? store<4>(format, pixels, place, out) : store<3>(format, pixels, place, out);
}

}  // namespace tessera::color
