#include <algorithm>

#include "color/colorizer.hpp"
#include "color/linear_light.hpp"

namespace tessera::color {
namespace {

constexpr std::size_t kChannels = 3;

/// Adds the light of `row` to the sums of the boxes that it crosses.
void add_row(const std::uint16_t* light, std::span<const std::byte> row, std::size_t factor,
             std::span<std::uint64_t> sums) {
  const std::byte* pixel = row.data();
  for (std::size_t box = 0; box < sums.size(); box += kChannels) {
    std::uint64_t r = 0, g = 0, b = 0;
    for (std::size_t i = 0; i < factor; ++i, pixel += kChannels) {
      r += light[std::to_integer<std::uint8_t>(pixel[0])];
      g += light[std::to_integer<std::uint8_t>(pixel[1])];
      b += light[std::to_integer<std::uint8_t>(pixel[2])];
    }
    sums[box] += r;
    sums[box + 1] += g;
    sums[box + 2] += b;
  }
}

}  // namespace

void box_average(std::span<const std::byte> rgb, std::int64_t width_px, int factor,
                 std::span<std::byte> out) {
  const LightTables& tables = light_tables();
  const auto side = static_cast<std::size_t>(factor);
  const std::size_t row_bytes = static_cast<std::size_t>(width_px) * kChannels;
  const std::uint64_t area = static_cast<std::uint64_t>(side) * side;
  std::vector<std::uint64_t> sums(row_bytes / side);
  for (std::size_t box_row = 0; box_row * side * row_bytes < rgb.size(); ++box_row) {
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t i = 0; i < side; ++i) {
      add_row(tables.light.data(), rgb.subspan((box_row * side + i) * row_bytes, row_bytes), side,
              sums);
    }
    const auto to = out.subspan(box_row * sums.size(), sums.size());
    std::transform(sums.begin(), sums.end(), to.begin(), [&](std::uint64_t sum) {
      return static_cast<std::byte>(tables.srgb[(sum + area / 2) / area]);
    });
  }
}

}  // namespace tessera::color
