#include "browse/plane_sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "browse/plane.hpp"

namespace tessera::browse {
namespace {

// crossed by: test_the_range_is_that_of_elements
constexpr std::int64_t kMaxParts = 1 << 16;

/// Bits without a pattern (Stafford's variant 13 of the finalizer of MurmurHash3).
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

base::ImageSize parts_of(const base::ImageSize& size, const base::ImageSize& part) {
  return {divided_up(size.width, part.width), divided_up(size.height, part.height)};
}

/// Squares, as far as the plane is as wide and as high.
base::ImageSize part_of(const base::ImageSize& size) {
  base::ImageSize part{1, 1};
  for (std::int64_t side = 1; parts_of(size, part).pixels() > kMaxParts; side += side / 16 + 1) {
    part = {std::min(side, size.width), std::min(side, size.height)};
  }
  return part;
}

/// The index of the element of a part that is kept.
std::int64_t place_in(std::uint64_t bits, std::int64_t first, std::int64_t part, std::int64_t all) {
  const auto length = static_cast<std::uint64_t>(std::min(part, all - first));
  return first + static_cast<std::int64_t>(bits % length);
}

}  // namespace

PlaneSample::PlaneSample(const base::ImageSize& size)
    : size_(size),
      part_(part_of(size)),
      parts_(parts_of(size, part_)),
      kept_(static_cast<std::size_t>(parts_.pixels()), std::numeric_limits<double>::quiet_NaN()) {}

void PlaneSample::take(const base::PixelRect& rect, std::span<const double> elements) {
  for (std::int64_t j = rect.y / part_.height; j * part_.height < rect.y + rect.height; ++j) {
    for (std::int64_t i = rect.x / part_.width; i * part_.width < rect.x + rect.width; ++i) {
      const auto part = static_cast<std::uint64_t>(j * parts_.width + i);
      const std::uint64_t bits = mixed(part + 1);
      const std::int64_t x =
          place_in(bits >> 32, i * part_.width, part_.width, size_.width) - rect.x;
      const std::int64_t y =
          place_in(bits & 0xffffffff, j * part_.height, part_.height, size_.height) - rect.y;
      const bool is_inside = x >= 0 && x < rect.width && y >= 0 && y < rect.height;
      if (is_inside) kept_[part] = elements[static_cast<std::size_t>(y * rect.width + x)];
    }
  }
}

std::vector<double> PlaneSample::numbers() const {
  std::vector<double> numbers;
  std::ranges::copy_if(kept_, std::back_inserter(numbers),
                       [](double value) { return std::isfinite(value); });
  return numbers;
}

}  // namespace tessera::browse
