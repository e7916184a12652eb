// How far a reduction along axes is, on the gather rank: what a later run goes on with, beside the
// output that is not complete.
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
  /// What some items of a tile come to.
  struct Gathering {
    statistics::OutputPartials partials;
    std::int64_t shares = 0;
  };

  store::ArrayLayout layout;
  statistics::SpecialCounts specials;
  std::vector<std::uint32_t> checksums;    ///< of the answers of each plan::AxisItems::group()
  std::map<std::int64_t, Gathering> open;  ///< by tile
};

/// For one program on machines of one type.
base::Bytes encode(const AxisState& state);
AxisState decode_axis_state(std::span<const std::byte> bytes);

}  // namespace tessera::reduce
