// The progress of a reduction along axes, on the gather rank. A checkpoint stores it; together with
// the unfinished output file a later run resumes from it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "statistics/output_partials.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::reduce {

struct AxisState {
  /// The merged partial results of some items of a tile.
  struct Gathering {
    statistics::OutputPartials partials;
    std::int64_t shares = 0;
  };

  store::ArrayLayout layout;
  statistics::SpecialCounts specials;
  std::vector<std::uint32_t> checksums;    ///< of the results of each plan::AxisItems::group()
  std::map<std::int64_t, Gathering> open;  ///< tiles with missing items, by tile number
};

/// Native byte order and layout: the reader is the same program on the same machine type.
base::Bytes encode(const AxisState& state);
AxisState decode_axis_state(std::span<const std::byte> bytes);

}  // namespace tessera::reduce
