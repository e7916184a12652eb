// Indices of the extremes of a block, and the signs of zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "device/cpu/passes/array_extremes.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::cpu {

template <class T>
statistics::OrderKey real_key_of(T x) {
  using Wide =
      std::conditional_t<std::is_floating_point_v<T>, double,
                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
  return statistics::key_of(static_cast<Wide>(x));
}

/// The lowest index of an element for which `is_it` is true. The block begins at element `first`.
template <class T, class Predicate>
std::int64_t index_of(const Predicate& is_it, std::span<const T> values, std::size_t first,
                      const statistics::Indexing& indexing) {
  std::int64_t lowest = statistics::ExtremeIndex::kNowhere;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_it(values[i])) continue;
    lowest = std::min(lowest, indexing.of(static_cast<std::int64_t>(first + i)));
    if (indexing.in_order) break;
  }
  return lowest;
}

/// Whether an earlier block already contains an equal extreme at a lower index than any of this
/// block, which begins at element `first`.
inline bool is_behind(statistics::OrderKey key, const statistics::ExtremeIndex& best,
                      const statistics::Indexing& indexing, std::size_t first) {
  return key == best.key && indexing.in_order &&
         best.index < indexing.of(static_cast<std::int64_t>(first));
}

/// Offers the lowest indices of a block's extremes to `partial`; searches only if they can improve
/// it.
template <class T>
void offer_places(const Extremes<T>& found, std::span<const T> values, std::size_t first,
                  const statistics::Indexing& indexing, statistics::Partial& partial) {
  // Adding 0 turns -0.0 into +0.0, which indices do not distinguish.
  const statistics::OrderKey least = real_key_of(static_cast<T>(found.least + T{0}));
  const statistics::OrderKey greatest = real_key_of(static_cast<T>(found.greatest + T{0}));
  if (least <= partial.at_least.key && !is_behind(least, partial.at_least, indexing, first)) {
    const auto same = [&](T x) { return x == found.least; };
    partial.offer_least({least, index_of<T>(same, values, first, indexing)});
  }
  if (greatest >= partial.at_greatest.key &&
      !is_behind(greatest, partial.at_greatest, indexing, first)) {
    const auto same = [&](T x) { return x == found.greatest; };
    partial.offer_greatest({greatest, index_of<T>(same, values, first, indexing)});
  }
}

/// Sets the sign of zero extremes, which vector comparisons leave unspecified. has_zero(numbers,
/// negative) says whether there is a zero of that sign.
template <class T, class HasZero>
void sign_zeros(Extremes<T>& found, std::span<const T> numbers, const HasZero& has_zero) {
  if (found.least == 0) found.least = has_zero(numbers, true) ? T{-0.0} : T{0};
  if (found.greatest == 0) found.greatest = has_zero(numbers, false) ? T{0} : T{-0.0};
}

}  // namespace tessera::device::cpu
