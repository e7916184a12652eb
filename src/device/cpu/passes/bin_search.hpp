// Finds the histogram bins of elements, for each instruction set.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>

#include "statistics/histogram.hpp"

namespace tessera::device::cpu {

/// found[i] = bins.guess(x[i]), or bins.count() if that is kOutside. At most kMaxBins bins.
template <class T>
using FindBins = void (*)(std::span<const T> x, const statistics::HistogramBins& bins,
                          std::uint32_t* found);

// not crossed: 2^31 bins take too much memory
inline constexpr std::size_t kMaxBins = std::size_t{1} << 30;

struct BinSearchSet {
  std::tuple<FindBins<std::int16_t>, FindBins<std::int32_t>, FindBins<std::int64_t>,
             FindBins<std::uint16_t>, FindBins<std::uint32_t>, FindBins<std::uint64_t>,
             FindBins<float>, FindBins<double>>
      find;
};

/// Specialised for each of Highway's targets.
template <std::int64_t kTarget>
BinSearchSet bin_search_set();

}  // namespace tessera::device::cpu
