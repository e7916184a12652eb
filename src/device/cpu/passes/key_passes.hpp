// Keys of a block of elements (statistics/order/element_key.hpp), for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "statistics/order/element_key.hpp"

namespace tessera::device::cpu {

/// Elements of a block, so that several passes find it in the L1 cache.
// crossed by: order_parity_test.of_any_bits_of_every_type
inline constexpr std::size_t kKeyBlock = 4096;
/// Elements of the widest vector, which may be stored behind the last key.
// crossed by: order_parity_test.of_any_bits_of_every_type
inline constexpr std::size_t kKeyPadding = 64;

template <class Word>
struct KeyBounds {
  Word least;  ///< the least of all numbers; NaN have lower keys, or higher ones than `high`
  Word low, high;
};

struct SelectedKeys {
  std::size_t below = 0;   ///< numbers with a key below the range
  std::size_t inside = 0;  ///< in it; their keys are stored
};

/// Stores the keys in [low, high], in order, to `to`, with room for x.size() + kKeyPadding.
template <class T>
using SelectKeys = SelectedKeys (*)(std::span<const T> x,
                                    const KeyBounds<statistics::KeyWord<T>>& bounds,
                                    statistics::KeyWord<T>* to);

struct KeyPassSet {
  std::tuple<SelectKeys<std::int32_t>, SelectKeys<std::int64_t>, SelectKeys<std::uint32_t>,
             SelectKeys<std::uint64_t>, SelectKeys<float>, SelectKeys<double>>
      select;
};

/// Specialised for each of Highway's targets.
template <std::int64_t kTarget>
KeyPassSet key_pass_set();

}  // namespace tessera::device::cpu
