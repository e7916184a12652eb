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

/// An item is an item of plan::AxisItems.
class MapWork : public ItemWork {
 public:
  /// Opens the lanes with open_map_lanes() and throws its errors.
  MapWork(const AxisReduction& task, binding::RankDevices& devices);

  std::int64_t items() const override { return task_.items.count(); }
  /// Writes the elements, or sends them to the gather rank (MapHead).
  std::optional<base::Bytes> reduce(std::int64_t item, int lane) override;

 private:
  double read_s() const override { return total_read_s(lanes_); }
  std::vector<report::DeviceMemory> device_memory() const override;
  bool restart(int lane) override;

  /// Evaluates tiles to the lane's elements, one tile after the other.
  void evaluate(std::int64_t first_tile, std::int64_t end_tile, MapLane& lane) const;
  /// Evaluates what is read of a tile, whose elements begin at `place` of those of the lane.
  MappedSource::Visit evaluate_to(const plan::Box& box, std::int64_t place, MapLane& lane) const;
  /// The elements of an expression in a tile: where the sink has them, or else those of the lane.
  std::span<std::byte> elements_of(std::size_t expression, const plan::Box& box, std::int64_t place,
                                   MapLane& lane) const;
  /// Where the sink has them; null if it has no memory for them, or a device evaluates.
  std::byte* in_sink(std::size_t expression, const plan::Box& box, const MapLane& lane) const;
  /// Reads the inputs of a tile, and evaluates what the thread evaluates. `place`: number of the
  /// first element.
  void read(const plan::Box& box, std::int64_t place, MapLane& lane) const;
  /// Writes the elements from `place` on, or puts them into the message.
  void put(const plan::Box& box, std::int64_t place, MapLane& lane, MapHead& head,
           base::ByteWriter& message) const;
  /// Lets the disk begin with an item, so that the sync at the end waits for less.
  void start_sync(const plan::AxisItems::Item& range, std::int64_t elements) const;
  /// The elements of a whole chunk, with zeros beyond the array.
  std::span<const std::byte> pad(std::size_t array, const plan::Box& box,
                                 std::span<const std::byte> elements, MapLane& lane) const;

  const AxisReduction& task_;
  const MappedSource& source_;
  std::vector<MapLane> lanes_;
};

}  // namespace tessera::reduce
