// The progress of a reduction along axes, on the gather rank. A checkpoint stores it; together with
// the unfinished output file a later run resumes from it.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "statistics/output_partials.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::reduce {

struct AxisState {
  /// The merged partial results of some items of a tile.
  struct Gathering {
    statistics::OutputPartials partials;
    std::int64_t shares = 0;

    static auto members(auto& self) { return std::tie(self.shares, self.partials); }
  };

  store::ArrayLayout layout;
  statistics::SpecialCounts specials;
  std::vector<std::uint32_t> checksums;    ///< of the results of each plan::AxisItems::group()
  std::map<std::int64_t, Gathering> open;  ///< tiles with missing items, by tile number

  static auto members(auto& self) {
    return std::tie(self.layout.head, self.layout.offsets, self.specials, self.checksums,
                    self.open);
  }
};

}  // namespace tessera::reduce
