// The least and the greatest of a block, and whether all of it is finite, in the vectors of each
// instruction set.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::device::cpu {

template <class T>
struct Extremes {
  T least;
  T greatest;
};

/// By value: of -0.0 and +0.0 either. At least one element, no NaN.
template <class T>
using FindExtremes = Extremes<T> (*)(std::span<const T>);

/// Neither NaN nor infinities.
template <class T>
using AreFinite = bool (*)(std::span<const T>);

struct ExtremesSet {
  std::string name;  ///< "avx2": what follows "cpu:"
  std::tuple<FindExtremes<std::int8_t>, FindExtremes<std::int16_t>, FindExtremes<std::int32_t>,
             FindExtremes<std::int64_t>, FindExtremes<std::uint8_t>, FindExtremes<std::uint16_t>,
             FindExtremes<std::uint32_t>, FindExtremes<std::uint64_t>, FindExtremes<float>,
             FindExtremes<double>>
      find;
  std::tuple<AreFinite<float>, AreFinite<double>> finite;
};

/// Those of this build that this machine can run, best first; the last one runs everywhere.
std::vector<ExtremesSet> extremes_sets();

}  // namespace tessera::device::cpu
