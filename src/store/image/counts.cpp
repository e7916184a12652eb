#include "store/image/counts.hpp"

#include <cstring>

#include "base/saturated_sum.hpp"

namespace tessera::store {

namespace {

template <class Count>
Count element(std::span<const std::byte> chunk, std::int64_t at) {
  Count count = 0;
  std::memcpy(&count, chunk.data() + static_cast<std::size_t>(at) * sizeof count, sizeof count);
  return count;
}

template <class Count>
std::uint64_t sum(std::span<const std::byte> chunk, std::int64_t stride_px,
                  const base::ImageSize& tile_px) {
  std::uint64_t total = 0;
  for (std::int64_t y = 0; y < tile_px.height; ++y) {
    for (std::int64_t x = 0; x < tile_px.width; ++x) {
      total = base::saturated_sum(total, element<Count>(chunk, y * stride_px + x));
    }
  }
  return total;
}

}  // namespace

std::uint64_t sum_of_counts(std::span<const std::byte> chunk, base::ElementType type,
                            std::int64_t stride_px, const base::ImageSize& tile_px) {
  if (type == base::ElementType::u16) return sum<std::uint16_t>(chunk, stride_px, tile_px);
  if (type == base::ElementType::u32) return sum<std::uint32_t>(chunk, stride_px, tile_px);
  return sum<std::uint64_t>(chunk, stride_px, tile_px);
}

std::uint64_t count_at(std::span<const std::byte> chunk, base::ElementType type, std::int64_t at) {
  if (type == base::ElementType::u16) return element<std::uint16_t>(chunk, at);
  if (type == base::ElementType::u32) return element<std::uint32_t>(chunk, at);
  return element<std::uint64_t>(chunk, at);
}

}  // namespace tessera::store
