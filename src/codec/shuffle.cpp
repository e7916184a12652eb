#include "codec/shuffle.hpp"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/shuffle.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once for each instruction set, hence the order of the includes.
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
  } else {
    HWY_DYNAMIC_DISPATCH(shuffle4)(in(from), count, out(to));
  }
  copy_tail(from, element_bytes, to);
}

void unshuffle(std::span<const std::byte> from, std::size_t element_bytes,
               std::span<std::byte> to) {
  const std::size_t count = from.size() / element_bytes;
  if (element_bytes == 2) {
    HWY_DYNAMIC_DISPATCH(unshuffle2)(in(from), count, out(to));
  } else {
    HWY_DYNAMIC_DISPATCH(unshuffle4)(in(from), count, out(to));
  }
  copy_tail(from, element_bytes, to);
}

}  // namespace tessera::codec
#endif
