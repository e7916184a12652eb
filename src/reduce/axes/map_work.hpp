// The work of `tessera map`: evaluates expressions tile by tile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reduce/axes/axis_work.hpp"
#include "reduce/axes/map_lanes.hpp"
#include "reduce/item_work.hpp"

namespace tessera::reduce {

/// The beginning of the message about an item. Behind it come the elements, or the chunks with
/// their filter masks, tile by tile and array by array. If the rank writes, only chunks do.
struct MapHead {
  std::int64_t outputs = 0;
  statistics::SpecialCounts specials{};
  bool written = false;        ///< elements outside of chunks, written by the rank itself
  std::uint32_t checksum = 0;  ///< checksum of the written bytes

  base::Bytes encode() const {
    return base::ByteWriter().put(outputs, specials, written, checksum).take();
  }
};

/// An item is an item of plan::AxisItems. Opens the lanes with open_map_lanes() and throws its
/// errors.
std::unique_ptr<ItemWork> open_map_work(const AxisReduction& task, binding::RankDevices& devices);

}  // namespace tessera::reduce
