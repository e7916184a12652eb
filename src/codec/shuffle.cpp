#include "codec/shuffle.hpp"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/shuffle.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once per instruction set, hence the order of the includes.
#include <hwy/highway.h>

#include "codec/interleave8-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::codec::HWY_NAMESPACE {

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

/// Returns how many elements are done.
std::size_t unshuffle8([[maybe_unused]] const std::uint8_t* from,
                       [[maybe_unused]] std::size_t count, [[maybe_unused]] std::uint8_t* to) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const Tag16 d;
  const auto plane = [&](std::size_t k) HWY_ATTR { return hn::LoadU(d, from + k * count + i); };
  for (; i + 16 <= count; i += 16) {
    interleave8(plane(0), plane(1), plane(2), plane(3), plane(4), plane(5), plane(6), plane(7),
                to + 8 * i);
  }
#endif
  return i;
}

}  // namespace tessera::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

namespace tessera::codec {

HWY_EXPORT(shuffle2);
HWY_EXPORT(shuffle4);
HWY_EXPORT(unshuffle2);
HWY_EXPORT(unshuffle4);
HWY_EXPORT(unshuffle8);

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
    const std::size_t done = HWY_DYNAMIC_DISPATCH(unshuffle8)(in(from), count, out(to));
    unshuffle_bytes(in(from), done, count, element_bytes, out(to));
  } else {
    unshuffle_bytes(in(from), 0, count, element_bytes, out(to));
  }
  copy_tail(from, element_bytes, to);
}

}  // namespace tessera::codec
#endif
