// A stable sort by integers, for more elements than the caches hold: radix sort from the lowest
// digit on (D. E. Knuth, The Art of Computer Programming 3, 5.2.5).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace tessera::base {

/// Bits of a digit: its counts are in the first cache.
// crossed by: IsStable, IsAsByComparingGroups
inline constexpr int kDigitBits = 11;
inline constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
/// So few elements are compared with each other instead.
// crossed by: IsStable, IsAsByComparingGroups
inline constexpr std::size_t kInsertionSortMax = 2 * kDigits;

/// `key_of` returns a std::uint64_t. Takes the memory of the elements once more.
template <class T, class KeyOf>
void radix_sort(std::vector<T>& elements, const KeyOf& key_of) {
  if (elements.size() <= kInsertionSortMax) {
    std::ranges::stable_sort(elements, {}, key_of);
    return;
  }
  const auto [least, greatest] = std::ranges::minmax_element(elements, {}, key_of);
  const std::uint64_t first = std::invoke(key_of, *least);
  const auto bits = static_cast<int>(std::bit_width(std::invoke(key_of, *greatest) - first));
  std::vector<T> other(elements.size());
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = [&](const T& element) {
      return static_cast<std::size_t>((std::invoke(key_of, element) - first) >> shift) % kDigits;
    };
    std::array<std::size_t, kDigits> ends{};
    for (const T& element : elements) ++ends[digit(element)];
    std::size_t all = 0;
    for (std::size_t& end : ends) all += std::exchange(end, all);
    for (const T& element : elements) other[ends[digit(element)]++] = element;
    elements.swap(other);
  }
}

}  // namespace tessera::base
