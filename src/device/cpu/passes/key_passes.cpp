// Compares keys as signed integers, which takes the fewest instructions; compiled once per
// instruction set.
#include "device/cpu/passes/key_passes.hpp"

#include <type_traits>

#include "kernels/real/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/passes/key_passes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_HAVE_FLOAT64
#include "device/cpu/simd/simd_math-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_HAVE_FLOAT64 && HWY_HAVE_INTEGER64

/// A vector of keys, less half their range.
template <class T, class D, class Words>
HWY_INLINE auto signed_keys(D, Words words, const T* x) {
  using Word = hn::TFromD<Words>;
  const auto bits = hn::LoadU(words, reinterpret_cast<const Word*>(x));
  if constexpr (std::is_floating_point_v<T>) {
    // All bits but the sign of negative numbers are inverted.
    const auto negative = hn::BroadcastSignBit(bits);
    return hn::Xor(bits, hn::And(negative, hn::Set(words, hwy::LimitsMax<Word>())));
  } else if constexpr (std::is_signed_v<T>) {
    return bits;
  } else {
    return hn::Xor(bits, hn::Set(words, hwy::LimitsMin<Word>()));
  }
}

template <class Words, class Vector, class Chosen>
HWY_INLINE void store_chosen(Words words, Vector keys, Chosen chosen, hn::TFromD<Words>* to) {
  if constexpr (sizeof(hn::TFromD<Words>) == 8) {
    append(hn::BitCast(Bits(), keys), hn::RebindMask(Reals(), chosen),
           reinterpret_cast<std::uint64_t*>(to));
  } else {
    hn::StoreU(hn::Compress(keys, chosen), words, to);
  }
}

/// Takes as many elements as fill vectors; returns how many.
template <class T>
std::size_t select_vectors(std::span<const T> x, const KeyBounds<statistics::KeyWord<T>>& bounds,
                           statistics::KeyWord<T>* to, SelectedKeys& selected) {
  using Word = std::make_signed_t<statistics::KeyWord<T>>;
  const hn::ScalableTag<T> d;
  const hn::Rebind<Word, decltype(d)> words;
  const std::size_t lanes = hn::Lanes(d);
  const auto half = hn::Set(words, hwy::LimitsMin<Word>());
  const auto signed_key = [&](auto key) {
    return hn::Xor(hn::Set(words, static_cast<Word>(key)), half);
  };
  const auto least = signed_key(bounds.least);
  const auto from = signed_key(bounds.low);
  const auto up_to = signed_key(bounds.high);
  // Not in `selected`, which the compiler would load and store for each vector.
  std::size_t below_count = 0;
  Word* next = reinterpret_cast<Word*>(to);
  std::size_t i = 0;
  for (; i + lanes <= x.size(); i += lanes) {
    const auto keys = signed_keys<T>(d, words, &x[i]);
    const auto below = hn::Lt(keys, from);
    const auto inside = hn::Not(hn::Or(below, hn::Gt(keys, up_to)));
    below_count += hn::CountTrue(words, hn::AndNot(hn::Lt(keys, least), below));
    store_chosen(words, hn::Xor(keys, half), inside, next);
    next += hn::CountTrue(words, inside);
  }
  selected.below = below_count;
  selected.inside = static_cast<std::size_t>(next - reinterpret_cast<Word*>(to));
  return i;
}

#else

template <class T>
std::size_t select_vectors(std::span<const T>, const KeyBounds<statistics::KeyWord<T>>&,
                           statistics::KeyWord<T>*, SelectedKeys&) {
  return 0;
}

#endif

template <class T>
SelectedKeys select_keys(std::span<const T> x, const KeyBounds<statistics::KeyWord<T>>& bounds,
                         statistics::KeyWord<T>* to) {
  SelectedKeys selected;
  for (std::size_t i = select_vectors(x, bounds, to, selected); i < x.size(); ++i) {
    const auto key = statistics::element_key(x[i]);
    selected.below += key >= bounds.least && key < bounds.low ? 1 : 0;
    to[selected.inside] = key;
    selected.inside += key >= bounds.low && key <= bounds.high ? 1 : 0;
  }
  return selected;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace tessera::device::cpu {
template <>
KeyPassSet key_pass_set<HWY_TARGET>() {
  using namespace HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)
  return {{&select_keys<std::int32_t>, &select_keys<std::int64_t>, &select_keys<std::uint32_t>,
           &select_keys<std::uint64_t>, &select_keys<float>, &select_keys<double>}};
}
}  // namespace tessera::device::cpu
