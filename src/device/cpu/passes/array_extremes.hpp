// Minimum and maximum of a block, and the test whether all elements are finite, for each
// instruction set.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>

namespace tessera::device::cpu {

template <class T>
struct Extremes {
  T least;
  T greatest;
};

/// Compares by value, so for zeros the sign is unspecified. Needs at least one element and no NaN.
template <class T>
using FindExtremes = Extremes<T> (*)(std::span<const T>);

/// True if there are neither NaN nor infinities.
template <class T>
using AreFinite = bool (*)(std::span<const T>);

struct ExtremesSet {
  std::tuple<FindExtremes<std::int8_t>, FindExtremes<std::int16_t>, FindExtremes<std::int32_t>,
             FindExtremes<std::int64_t>, FindExtremes<std::uint8_t>, FindExtremes<std::uint16_t>,
             FindExtremes<std::uint32_t>, FindExtremes<std::uint64_t>, FindExtremes<float>,
             FindExtremes<double>>
      find;
  std::tuple<AreFinite<float>, AreFinite<double>> finite;
};

/// Specialised for each of Highway's targets.
template <std::int64_t kTarget>
ExtremesSet extremes_set();

}  // namespace tessera::device::cpu
