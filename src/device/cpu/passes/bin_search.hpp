// The bins of a histogram that elements are in, in the vectors of each instruction set.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "statistics/histogram.hpp"

namespace tessera::device::cpu {

/// found[i] = bins.guess(x[i]), or bins.count() where that is kOutside. At most kMostBins.
template <class T>
using FindBins = void (*)(std::span<const T> x, const statistics::HistogramBins& bins,
                          std::uint32_t* found);

inline constexpr std::size_t kMostBins = std::size_t{1} << 30;

struct BinSearchSet {
  std::string name;  ///< "avx2": what follows "cpu:"
  std::tuple<FindBins<std::int16_t>, FindBins<std::int32_t>, FindBins<std::int64_t>,
             FindBins<std::uint16_t>, FindBins<std::uint32_t>, FindBins<std::uint64_t>,
             FindBins<float>, FindBins<double>>
      find;
};

/// Those of this build that this machine can run, best first; the last one runs everywhere.
std::vector<BinSearchSet> bin_search_sets();

}  // namespace tessera::device::cpu
