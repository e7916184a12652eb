#include "store/arrays/fill_element.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "statistics/half.hpp"

namespace tessera::store {
namespace {

template <class T>
std::vector<std::byte> bytes_of_element(T element) {
  std::vector<std::byte> bytes(sizeof element);
  std::memcpy(bytes.data(), &element, sizeof element);
  return bytes;
}

/// Whether only the type makes it infinite.
template <class T>
bool overflows(long double value) {
  return std::isfinite(value) && !std::isfinite(static_cast<T>(value));
}

std::optional<std::vector<std::byte>> half_element(long double value) {
  const double half = statistics::round_to_half(static_cast<double>(value));
  if (std::isfinite(value) && !std::isfinite(half)) return std::nullopt;
  return bytes_of_element(statistics::half_bits(static_cast<float>(half)));
}

}  // namespace

std::optional<std::vector<std::byte>> fill_element(long double value, base::ElementType type) {
  if (type == base::ElementType::f16) return half_element(value);
  return base::with_element_type(type, [&]<class T>(T) -> std::optional<std::vector<std::byte>> {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
      if (overflows<T>(value)) return std::nullopt;
    } else {
      const bool fits = value >= static_cast<long double>(Limits::min()) &&
                        value <= static_cast<long double>(Limits::max());
      if (!fits || value != std::trunc(value)) return std::nullopt;
    }
    return bytes_of_element(static_cast<T>(value));
  });
}

}  // namespace tessera::store
