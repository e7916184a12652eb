#include "codec/bit_planes.hpp"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/bit_planes.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once per instruction set, hence the order of the includes.
#include <hwy/highway.h>

#include "codec/interleave8-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::codec::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
using Words = hn::Repartition<std::uint64_t, Tag16>;

/// Exchanges the upper kWidth bits of each 2 kWidth bits of `a` with the lower of `b`.
template <int kWidth>
HWY_INLINE void exchange(Bytes16& a, Bytes16& b, std::uint64_t lower) {
  const Words d;
  const auto wa = hn::BitCast(d, a), wb = hn::BitCast(d, b);
  const auto moved = hn::And(hn::Xor(hn::ShiftRight<kWidth>(wa), wb), hn::Set(d, lower));
  b = hn::BitCast(Tag16(), hn::Xor(wb, moved));
  a = hn::BitCast(Tag16(), hn::Xor(wa, hn::ShiftLeft<kWidth>(moved)));
}

/// Sixteen transposes of 8 x 8 bits at once (H. S. Warren, Hacker's Delight, 7-3).
HWY_INLINE void join16(const std::uint8_t* planes, std::size_t stride, std::uint8_t* to) {
  const Tag16 d;
  auto v0 = hn::LoadU(d, planes), v1 = hn::LoadU(d, planes + stride);
  auto v2 = hn::LoadU(d, planes + 2 * stride), v3 = hn::LoadU(d, planes + 3 * stride);
  auto v4 = hn::LoadU(d, planes + 4 * stride), v5 = hn::LoadU(d, planes + 5 * stride);
  auto v6 = hn::LoadU(d, planes + 6 * stride), v7 = hn::LoadU(d, planes + 7 * stride);
  constexpr std::uint64_t kLower4 = 0x0f0f0f0f0f0f0f0f;
  exchange<4>(v0, v4, kLower4), exchange<4>(v1, v5, kLower4);
  exchange<4>(v2, v6, kLower4), exchange<4>(v3, v7, kLower4);
  constexpr std::uint64_t kLower2 = 0x3333333333333333;
  exchange<2>(v0, v2, kLower2), exchange<2>(v1, v3, kLower2);
  exchange<2>(v4, v6, kLower2), exchange<2>(v5, v7, kLower2);
  constexpr std::uint64_t kLower1 = 0x5555555555555555;
  exchange<1>(v0, v1, kLower1), exchange<1>(v2, v3, kLower1);
  exchange<1>(v4, v5, kLower1), exchange<1>(v6, v7, kLower1);
  interleave8(v0, v1, v2, v3, v4, v5, v6, v7, to);
}
#endif

/// Returns the bytes of each plane that it has joined.
std::size_t join_whole([[maybe_unused]] const std::uint8_t* planes,
                       [[maybe_unused]] std::size_t stride, [[maybe_unused]] std::size_t bytes,
                       [[maybe_unused]] std::uint8_t* to) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; i + 16 <= bytes; i += 16) join16(planes + i, stride, to + 8 * i);
#endif
  return i;
}

}  // namespace tessera::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::codec {

HWY_EXPORT(join_whole);

void join_bit_planes(const std::byte* planes, std::size_t stride_bytes, std::span<std::byte> to) {
  const std::size_t bytes = to.size() / 8;
  const auto* const from = reinterpret_cast<const std::uint8_t*>(planes);
  auto* const out = reinterpret_cast<std::uint8_t*>(to.data());
  std::size_t i = HWY_DYNAMIC_DISPATCH(join_whole)(from, stride_bytes, bytes, out);
  for (; i < bytes; ++i) {
    for (std::size_t bit = 0; bit < 8; ++bit) {
      unsigned byte = 0;
      for (std::size_t k = 0; k < 8; ++k) byte |= (from[k * stride_bytes + i] >> bit & 1U) << k;
      out[8 * i + bit] = static_cast<std::uint8_t>(byte);
    }
  }
}

}  // namespace tessera::codec
#endif
