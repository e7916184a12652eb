#include "view/half_scale.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::view {
namespace {

/// Two random bits for each place.
std::uint32_t choice(std::uint32_t row_seed, std::int64_t x) {
  std::uint32_t hash = row_seed ^ static_cast<std::uint32_t>(x) * 0x9E3779B1U;
  hash ^= hash >> 15;
  hash *= 0x85EBCA77U;
  return hash >> 30;
}

std::uint32_t seed_of(int level, std::int64_t y) {
  return (static_cast<std::uint32_t>(y) + 1) * 0xC2B2AE3DU +
         static_cast<std::uint32_t>(level) * 0x27D4EB2FU;
}

template <class T>
void take_half_of(int level, const base::ImageSize& fine_px, const LevelPart<const std::byte>& fine,
                  const LevelPart<std::byte>& coarse) {
  const base::PixelRect& from = fine.px;
  const std::int64_t right = std::min((from.x + from.width + 1) / 2, coarse.px.x + coarse.px.width);
  const std::int64_t bottom =
      std::min((from.y + from.height + 1) / 2, coarse.px.y + coarse.px.height);
  for (std::int64_t y = std::max(from.y / 2, coarse.px.y); y < bottom; ++y) {
    const std::uint32_t seed = seed_of(level, y);
    for (std::int64_t x = std::max(from.x / 2, coarse.px.x); x < right; ++x) {
      const std::uint32_t chosen = choice(seed, x);
      const std::int64_t column =
          std::min<std::int64_t>(2 * x + (chosen & 1), fine_px.width - 1) - from.x;
      const std::int64_t row =
          std::min<std::int64_t>(2 * y + (chosen >> 1), fine_px.height - 1) - from.y;
      // With odd sides of chunks, four values may lie in several of them.
      if (column < 0 || column >= from.width || row < 0 || row >= from.height) continue;
      constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
      T value;
      std::memcpy(&value, fine.values + (row * fine.stride + column) * kBytes, sizeof(T));
      if (level == 1) value = present(value);
      std::memcpy(coarse.values + ((y - coarse.px.y) * coarse.stride + x - coarse.px.x) * kBytes,
                  &value, sizeof(T));
    }
  }
}

template <class T>
void fill_missing_of(std::byte* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(values + i * sizeof(T), &kMissing<T>, sizeof(T));
  }
}

}  // namespace

void fill_missing(std::byte* values, std::size_t count, base::ElementType type) {
  if (type == base::ElementType::u16) return fill_missing_of<std::uint16_t>(values, count);
  if (type == base::ElementType::u32) return fill_missing_of<std::uint32_t>(values, count);
  if (type == base::ElementType::u64) return fill_missing_of<std::uint64_t>(values, count);
  fill_missing_of<float>(values, count);
}

void take_half(int level, const base::ImageSize& fine_px, const LevelPart<const std::byte>& fine,
               const LevelPart<std::byte>& coarse, base::ElementType type) {
  if (base::element_bytes(type) == sizeof(std::uint16_t)) {
    take_half_of<std::uint16_t>(level, fine_px, fine, coarse);
  } else if (base::element_bytes(type) == sizeof(std::uint64_t)) {
    take_half_of<std::uint64_t>(level, fine_px, fine, coarse);
  } else {
    take_half_of<std::uint32_t>(level, fine_px, fine, coarse);
  }
}

}  // namespace tessera::view
