#include "device/gpu/arrays/elements/places.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>

#include "base/element.hpp"
#include "statistics/half.hpp"

namespace tessera::device::gpu {
namespace {

/// Order key of x, with -0.0 as +0.0; nothing for NaN.
std::optional<statistics::OrderKey> place_key(double x) {
  if (std::isnan(x)) return std::nullopt;
  return statistics::key_of(x == 0 ? 0.0 : x);
}
template <class Integer>
std::optional<statistics::OrderKey> place_key(Integer x) {
  return statistics::key_of(x);
}

/// Calls visit(i, place_key(element i)) for each element.
template <class Visit>
void for_each_key(std::span<const std::byte> elements, base::ElementType type, const Visit& visit) {
  base::with_element_type(type, [&]<class T>(T) {
    using Integer = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double, Integer>;
    for (std::size_t i = 0; (i + 1) * sizeof(T) <= elements.size(); ++i) {
      T element;
      std::memcpy(&element, elements.data() + i * sizeof(T), sizeof(T));
      const auto half = [&] { return statistics::widen_half(static_cast<std::uint16_t>(element)); };
      visit(static_cast<std::int64_t>(i), type == base::ElementType::f16
                                              ? place_key(static_cast<double>(half()))
                                              : place_key(static_cast<Wide>(element)));
    }
  });
}

}  // namespace

LaunchIndices places_by_index(std::span<const std::byte> elements, base::ElementType type,
                              const LaunchIndices& found, const statistics::Indexing& indexing) {
  LaunchIndices places{.least = {found.least.key, statistics::ExtremeIndex::kNowhere},
                       .greatest = {found.greatest.key, statistics::ExtremeIndex::kNowhere}};
  for_each_key(elements, type, [&](std::int64_t i, std::optional<statistics::OrderKey> key) {
    const auto offer = [&](std::int64_t& lowest) { lowest = std::min(lowest, indexing.of(i)); };
    if (!key) {
      offer(places.first_nan);
      return;
    }
    if (*key == places.least.key) offer(places.least.index);
    if (*key == places.greatest.key) offer(places.greatest.index);
  });
  return places;
}

}  // namespace tessera::device::gpu
