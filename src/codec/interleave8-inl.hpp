// Highway, compiled once per instruction set: bytes of eight vectors in turns.
#if defined(TESSERA_CODEC_INTERLEAVE8_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_CODEC_INTERLEAVE8_INL_HPP
#undef TESSERA_CODEC_INTERLEAVE8_INL_HPP
#else
#define TESSERA_CODEC_INTERLEAVE8_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace tessera::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
/// Of a fixed size, because wider vectors interleave within each 16 bytes only.
using Tag16 = hn::FixedTag<std::uint8_t, 16>;
using Bytes16 = hn::Vec<Tag16>;

HWY_INLINE void store_in_turns(Bytes16 a, Bytes16 b, std::uint8_t* to) {
  const Tag16 d;
  hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
  hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + 16);
}

/// to[8 j + i] = v<i>[j]: three times the bytes of two vectors in turns.
HWY_INLINE void interleave8(Bytes16 v0, Bytes16 v1, Bytes16 v2, Bytes16 v3, Bytes16 v4, Bytes16 v5,
                            Bytes16 v6, Bytes16 v7, std::uint8_t* to) {
  const Tag16 d;
  const auto low04 = hn::InterleaveLower(d, v0, v4), high04 = hn::InterleaveUpper(d, v0, v4);
  const auto low15 = hn::InterleaveLower(d, v1, v5), high15 = hn::InterleaveUpper(d, v1, v5);
  const auto low26 = hn::InterleaveLower(d, v2, v6), high26 = hn::InterleaveUpper(d, v2, v6);
  const auto low37 = hn::InterleaveLower(d, v3, v7), high37 = hn::InterleaveUpper(d, v3, v7);
  store_in_turns(hn::InterleaveLower(d, low04, low26), hn::InterleaveLower(d, low15, low37), to);
  store_in_turns(hn::InterleaveUpper(d, low04, low26), hn::InterleaveUpper(d, low15, low37),
                 to + 32);
  store_in_turns(hn::InterleaveLower(d, high04, high26), hn::InterleaveLower(d, high15, high37),
                 to + 64);
  store_in_turns(hn::InterleaveUpper(d, high04, high26), hn::InterleaveUpper(d, high15, high37),
                 to + 96);
}
#endif

}  // namespace tessera::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
