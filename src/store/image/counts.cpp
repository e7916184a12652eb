#include "store/image/counts.hpp"

#include <cstring>

namespace tessera::store {

namespace {

template <class Count>
std::uint64_t sum(std::span<const std::byte> chunk, std::int64_t stride_px,
                  const base::ImageSize& tile_px) {
  std::uint64_t total = 0;
  for (std::int64_t y = 0; y < tile_px.height; ++y) {
    for (std::int64_t x = 0; x < tile_px.width; ++x) {
      Count count = 0;
      std::memcpy(&count, chunk.data() + (y * stride_px + x) * sizeof count, sizeof count);
      total += count;
    }
  }
  return total;
}

}  // namespace

std::uint64_t sum_of_counts(std::span<const std::byte> chunk, base::ElementType type,
                            std::int64_t stride_px, const base::ImageSize& tile_px) {
  return type == base::ElementType::u16 ? sum<std::uint16_t>(chunk, stride_px, tile_px)
                                        : sum<std::uint32_t>(chunk, stride_px, tile_px);
}

}  // namespace tessera::store
