// Elements as unsigned integers of their own width that have their order: what order statistics
// count, compare and collect.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/element.hpp"
#include "kernels/exact/wide_integers.hpp"
#include "statistics/answers.hpp"

namespace tessera::statistics {

/// The key of an element in its lower bits. -0.0 comes before +0.0. NaN have no key of their own:
/// those of their bits lie outside those of the infinities.
using ElementKey = std::uint64_t;

template <class T>
using KeyWord = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The bits of a float, of which the last ones have the order of magnitudes.
template <std::unsigned_integral Word>
constexpr Word key_of_bits(Word bits) {
  constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  return static_cast<Word>((bits & kSign) != 0 ? ~bits : bits | kSign);
}
template <std::unsigned_integral Word>
constexpr Word bits_of_key(Word key) {
  constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  return static_cast<Word>((key & kSign) != 0 ? key & static_cast<Word>(~kSign) : ~key);
}

/// The key of any type but f16, which has key_of_bits().
template <class T>
constexpr KeyWord<T> element_key(T x) {
  using Word = KeyWord<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return key_of_bits(std::bit_cast<Word>(x));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Word>(static_cast<Word>(x) ^
                             static_cast<Word>(Word{1} << (8 * sizeof(T) - 1)));
  } else {
    return x;
  }
}

inline int key_bits(base::ElementType type) {
  return static_cast<int>(8 * base::element_bytes(type));
}
inline ElementKey greatest_key(base::ElementType type) {
  return ~ElementKey{0} >> (64 - key_bits(type));
}

/// The keys of the infinities, between which all others are; of integers, all keys.
struct NumberKeys {
  ElementKey least = 0;
  ElementKey greatest = 0;
  bool contain(ElementKey key) const { return key >= least && key <= greatest; }
};
NumberKeys number_keys(base::ElementType type);

/// An f64, rounded if the element has more than 53 bits.
double real_of_key(ElementKey key, base::ElementType type);
/// For types of integers.
kernels::Int128 integer_of_key(ElementKey key, base::ElementType type);
/// The element as an answer; of floats an f64.
Value value_of_key(ElementKey key, base::ElementType type);
/// The key of +0.0; 0 for integers.
ElementKey zero_key(base::ElementType type);
/// The key of +0.0 for -0.0: that of the order in which both are equal.
ElementKey unsigned_zero_key(ElementKey key, base::ElementType type);

/// visit(key) with each element, in order, NaN among them.
template <class Visit>
void for_each_key(std::span<const std::byte> elements, base::ElementType type, const Visit& visit) {
  base::with_element_type(type, [&]<class T>(T) {
    for (std::size_t at = 0; at + sizeof(T) <= elements.size(); at += sizeof(T)) {
      T element;
      std::memcpy(&element, elements.data() + at, sizeof(T));
      if constexpr (std::is_same_v<T, std::uint16_t>) {
        visit(type == base::ElementType::f16 ? key_of_bits(element) : element);
      } else {
        visit(element_key(element));
      }
    }
  });
}

}  // namespace tessera::statistics
