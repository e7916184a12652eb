#include "color/box_average.hpp"

#include <algorithm>

#include "color/linear_light.hpp"

namespace tessera::color {
namespace {

constexpr std::size_t kChannels = 3;

/// Adds the light of `count` pixels to the three sums of their box.
void add_pixels(const std::uint16_t* light, const std::byte* pixel, std::size_t count,
                std::uint64_t* sums) {
  std::uint64_t r = 0, g = 0, b = 0;
  for (std::size_t i = 0; i < count; ++i, pixel += kChannels) {
    r += light[std::to_integer<std::uint8_t>(pixel[0])];
    g += light[std::to_integer<std::uint8_t>(pixel[1])];
    b += light[std::to_integer<std::uint8_t>(pixel[2])];
  }
  sums[0] += r;
  sums[1] += g;
  sums[2] += b;
}

}  // namespace

BoxAverage::BoxAverage(int factor) : factor_(static_cast<std::size_t>(factor)) {}

void BoxAverage::begin(base::ImageSize size) {
  row_values_ = static_cast<std::size_t>(size.width) * kChannels;
  sums_.assign(row_values_ * static_cast<std::size_t>(size.height), 0);
}

void BoxAverage::add(std::int64_t row, std::int64_t x, std::span<const std::byte> rgb) {
  const std::uint16_t* light = light_tables().light.data();
  const auto column = static_cast<std::size_t>(x);
  std::uint64_t* box = sums_.data() + static_cast<std::size_t>(row) / factor_ * row_values_ +
                       column / factor_ * kChannels;
  const std::byte* pixel = rgb.data();
  std::size_t left = rgb.size() / kChannels;
  // The first box may have begun in an earlier piece, and the last may continue in a later one.
  for (std::size_t count = factor_ - column % factor_; left > 0; count = factor_) {
    count = std::min(count, left);
    add_pixels(light, pixel, count, box);
    pixel += count * kChannels;
    box += kChannels;
    left -= count;
  }
}

void BoxAverage::finish(std::span<std::byte> out) const {
  const auto& srgb = light_tables().srgb;
  const std::uint64_t area = static_cast<std::uint64_t>(factor_) * factor_;
  std::transform(sums_.begin(), sums_.end(), out.begin(), [&](std::uint64_t sum) {
    return static_cast<std::byte>(srgb[(sum + area / 2) / area]);
  });
}

std::size_t BoxAverage::memory_bytes(base::ImageSize size) {
  return static_cast<std::size_t>(size.pixels()) * kChannels * sizeof(std::uint64_t);
}

}  // namespace tessera::color
