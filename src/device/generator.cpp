#include "device/generator.hpp"

#include <cstring>
#include <type_traits>

#include "device/each_element.hpp"
#include "kernels/counter_random.hpp"

namespace tessera::device {

namespace {

/// Floats in [0, 1), multiples of 2^-53 or 2^-24; integers of any bits.
template <class T>
T random_element(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(bits >> 11) * 0x1p-53;
  } else if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(bits >> 40) * 0x1p-24F;
  } else {
    return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
  }
}

/// As numpy.linspace: each operation rounded to f64, the last number as given.
double spaced_number(const job::ArrayInput& input, std::int64_t index, std::int64_t count) {
  if (index + 1 == count && count > 1) return input.stop;
  const double step = count > 1 ? (input.stop - input.start) / static_cast<double>(count - 1) : 0.0;
  return static_cast<double>(index) * step + input.start;
}

}  // namespace

void generate(const job::ArrayInput& input, std::int64_t first, std::span<std::byte> elements) {
  const std::int64_t count = input.shape.front();
  const bool random = input.format == job::ArrayInput::Format::random;
  with_element_type(input.type, [&]<class T>(T) {
    for (std::size_t at = 0; at + sizeof(T) <= elements.size(); at += sizeof(T)) {
      const std::int64_t index = first + static_cast<std::int64_t>(at / sizeof(T));
      T element{};
      if (random) {
        element =
            random_element<T>(kernels::random_bits(static_cast<std::uint64_t>(index), input.seed));
      } else {
        element = static_cast<T>(spaced_number(input, index, count));
      }
      std::memcpy(elements.data() + at, &element, sizeof(T));
    }
  });
}

}  // namespace tessera::device
