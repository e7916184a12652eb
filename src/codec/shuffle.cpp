#include "codec/shuffle.hpp"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/shuffle.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once per instruction set, hence the order of the includes.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::uint8_t>;

void shuffle2(const std::uint8_t* from, std::size_t count, std::uint8_t* to) {
  const Tag d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::Vec<Tag> low, high;
    hn::LoadInterleaved2(d, from + 2 * i, low, high);
    hn::StoreU(low, d, to + i);
    hn::StoreU(high, d, to + count + i);
  }
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < 2; ++k) to[k * count + i] = from[2 * i + k];
  }
}

void shuffle4(const std::uint8_t* from, std::size_t count, std::uint8_t* to) {
  const Tag d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::Vec<Tag> a, b, c, e;
    hn::LoadInterleaved4(d, from + 4 * i, a, b, c, e);
    hn::StoreU(a, d, to + i);
    hn::StoreU(b, d, to + count + i);
    hn::StoreU(c, d, to + 2 * count + i);
    hn::StoreU(e, d, to + 3 * count + i);
  }
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < 4; ++k) to[k * count + i] = from[4 * i + k];
  }
}

void unshuffle2(const std::uint8_t* from, std::size_t count, std::uint8_t* to) {
  const Tag d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreInterleaved2(hn::LoadU(d, from + i), hn::LoadU(d, from + count + i), d, to + 2 * i);
  }
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < 2; ++k) to[2 * i + k] = from[k * count + i];
  }
}

void unshuffle4(const std::uint8_t* from, std::size_t count, std::uint8_t* to) {
  const Tag d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreInterleaved4(hn::LoadU(d, from + i), hn::LoadU(d, from + count + i),
                          hn::LoadU(d, from + 2 * count + i), hn::LoadU(d, from + 3 * count + i), d,
                          to + 4 * i);
  }
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < 4; ++k) to[4 * i + k] = from[k * count + i];
  }
}

}  // namespace tessera::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tessera::codec {

HWY_EXPORT(shuffle2);
HWY_EXPORT(shuffle4);
HWY_EXPORT(unshuffle2);
HWY_EXPORT(unshuffle4);

namespace {

const std::uint8_t* in(std::span<const std::byte> bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

std::uint8_t* out(std::span<std::byte> bytes) {
  return reinterpret_cast<std::uint8_t*>(bytes.data());
}

/// Any element size, byte by byte.
void shuffle_bytes(const std::uint8_t* from, std::size_t count, std::size_t size,
                   std::uint8_t* to) {
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = 0; i < count; ++i) to[k * count + i] = from[i * size + k];
  }
}

void unshuffle_bytes(const std::uint8_t* from, std::size_t first, std::size_t count,
                     std::size_t size, std::uint8_t* to) {
  for (std::size_t i = first; i < count; ++i) {
    for (std::size_t k = 0; k < size; ++k) to[i * size + k] = from[k * count + i];
  }
}

/// Swaps the off-diagonal blocks of `width` bits of rows `a` and `b` of an 8 x 8 byte matrix.
void exchange(std::uint64_t& a, std::uint64_t& b, int width, std::uint64_t mask) {
  const std::uint64_t moved = ((a >> width) ^ b) & mask;
  b ^= moved;
  a ^= moved << width;
}

/// Eight elements from eight planes at a time: a transpose of 8 x 8 bytes in 64-bit words (H. S.
/// Warren, Hacker's Delight, 7-3, for bytes).
void unshuffle8(const std::uint8_t* from, std::size_t count, std::uint8_t* to) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::array<std::uint64_t, 8> w;
    for (std::size_t k = 0; k < 8; ++k) std::memcpy(&w[k], from + k * count + i, 8);
    for (std::size_t k = 0; k < 4; ++k) exchange(w[k], w[k + 4], 32, 0x00000000ffffffff);
    for (const std::size_t k : {0, 1, 4, 5}) exchange(w[k], w[k + 2], 16, 0x0000ffff0000ffff);
    for (std::size_t k = 0; k < 8; k += 2) exchange(w[k], w[k + 1], 8, 0x00ff00ff00ff00ff);
    std::memcpy(to + 8 * i, w.data(), sizeof w);
  }
  unshuffle_bytes(from, i, count, 8, to);
}

void copy_tail(std::span<const std::byte> from, std::size_t element_bytes,
               std::span<std::byte> to) {
  const std::size_t whole = from.size() / element_bytes * element_bytes;
  std::copy(from.begin() + whole, from.end(), to.begin() + whole);
}

}  // namespace

void shuffle(std::span<const std::byte> from, std::size_t element_bytes, std::span<std::byte> to) {
  const std::size_t count = from.size() / element_bytes;
  if (element_bytes == 2) {
    HWY_DYNAMIC_DISPATCH(shuffle2)(in(from), count, out(to));
  } else if (element_bytes == 4) {
    HWY_DYNAMIC_DISPATCH(shuffle4)(in(from), count, out(to));
  } else {
    shuffle_bytes(in(from), count, element_bytes, out(to));
  }
  copy_tail(from, element_bytes, to);
}

void unshuffle(std::span<const std::byte> from, std::size_t element_bytes,
               std::span<std::byte> to) {
  const std::size_t count = from.size() / element_bytes;
  if (element_bytes == 2) {
    HWY_DYNAMIC_DISPATCH(unshuffle2)(in(from), count, out(to));
  } else if (element_bytes == 4) {
    HWY_DYNAMIC_DISPATCH(unshuffle4)(in(from), count, out(to));
  } else if (element_bytes == 8) {
    unshuffle8(in(from), count, out(to));
  } else {
    unshuffle_bytes(in(from), 0, count, element_bytes, out(to));
  }
  copy_tail(from, element_bytes, to);
}

}  // namespace tessera::codec
#endif
