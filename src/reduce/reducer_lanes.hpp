// The lanes of a reduction: a reducer and what it reads with for each worker thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "binding/rank_devices.hpp"
#include "device/reducer.hpp"
#include "job/reduce_job.hpp"
#include "reduce/input/batch_reader.hpp"
#include "reduce/input/pair_reader.hpp"
#include "reduce/input/piece_reader.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

struct ReduceLane {
  int device = 0;                            ///< position in the rank's devices
  std::unique_ptr<device::Reducer> reducer;  ///< null of a device that is out of the run
  bool reads = false;                        ///< and does not make its elements itself
  std::unique_ptr<PieceReader> reader;
  std::unique_ptr<PairReader> pairs;           ///< of two arrays
  std::unique_ptr<BatchReader> batches;        ///< of a device that takes many pieces at once
  const job::ArrayInput* generated = nullptr;  ///< what the device makes itself instead of reading
  // Of the other array, if there are two: those of a device that takes many pieces at once, or what
  // it makes itself.
  std::unique_ptr<PieceReader> with_reader;
  std::unique_ptr<BatchReader> with_batches;
  std::optional<job::ArrayInput> with_generated;
  double read_s = 0;
};

/// As many as the devices want and as there is room for in --memory, of each device one before any
/// has two. Usage error if there is room for none, and for a device that does not reduce arrays;
/// `with`: the other array, or null. DeviceError for a device that has no room for a single one.
std::vector<ReduceLane> open_reduce_lanes(const binding::RankDevices& devices,
                                          const statistics::ReductionSpec& spec,
                                          const store::ArraySource& source,
                                          const store::ArraySource* with,
                                          const job::ReduceJob& job);

}  // namespace tessera::reduce
