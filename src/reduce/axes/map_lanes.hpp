// The worker threads of `tessera map`: their memory, and how each expression is evaluated.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/file/page_buffer.hpp"
#include "binding/rank_devices.hpp"
#include "codec/chunk.hpp"
#include "device/mapper.hpp"
#include "expression/evaluator.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/input/mapped_reader.hpp"

namespace tessera::reduce {

/// An expression on one thread.
struct LaneExpression {
  codec::ChunkEncoder encoder;
  std::span<std::byte> elements;  ///< room for the tiles that are evaluated together
};

/// Expressions that the device evaluates together.
struct DeviceExpressions {
  std::unique_ptr<MappedReader> reader;
  std::vector<std::size_t> numbers;
};

/// One thread.
struct MapLane {
  int device = 0;                          ///< position in the rank's devices
  std::unique_ptr<device::Mapper> mapper;  ///< null: the thread evaluates
  std::int64_t tiles_at_once = 1;
  std::vector<LaneExpression> expressions;
  std::vector<DeviceExpressions> on_device;
  std::vector<std::size_t> evaluated;                ///< those that the thread evaluates
  std::unique_ptr<expression::Evaluator> evaluator;  ///< evaluator of these
  std::vector<bool> requested;                       ///< inputs
  std::unique_ptr<device::HostBuffer> batch;
  base::PageBuffer padded;  ///< a chunk at the edge
  double read_s = 0;
};

/// As many lanes as the devices have and --memory allows, one of each device before a second of
/// any. Throws a usage error if there is no memory for one, and DeviceError if a device lacks
/// memory for its first lane.
std::vector<MapLane> open_map_lanes(const AxisReduction& task, const binding::RankDevices& devices);

}  // namespace tessera::reduce
