// The work of `tessera map`: evaluates expressions tile by tile.
#pragma once

#include <memory>
#include <vector>

#include "reduce/axes/axis_work.hpp"
#include "reduce/item_work.hpp"

namespace tessera::reduce {

/// Describes the arrays of the job as a reduction over no axis. `first`: the array of the first
/// expression, which stays open elsewhere. Throws a usage error if their shapes differ.
AxisReduction describe_map(const store::ArraySource& first, const job::ReduceJob& job);

/// One thread.
struct MapLane {
  int device = 0;  ///< position in the rank's devices
  double read_s = 0;
};

/// An item is an item of plan::AxisItems.
class MapWork : public ItemWork {
 public:
  /// As many lanes as the devices have and --memory allows. Throws a usage error if there is no
  /// memory for one.
  MapWork(const AxisReduction& task, binding::RankDevices& devices);

  std::int64_t items() const override { return task_.items.count(); }
  /// Like AxisWork's, for whole tiles.
  std::optional<base::Bytes> reduce(std::int64_t item, int lane) override;

 private:
  double read_s() const override { return total_read_s(lanes_); }
  std::vector<report::DeviceMemory> device_memory() const override { return {}; }
  bool restart(int) override { return false; }

  const AxisReduction& task_;
  std::vector<MapLane> lanes_;
};

}  // namespace tessera::reduce
