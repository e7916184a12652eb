// The lanes of a reduction without --axis: a reducer and its readers for each worker thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "binding/rank_devices.hpp"
#include "device/reducer.hpp"
#include "job/arrays/reduce_job.hpp"
#include "reduce/input/aligned_reader.hpp"
#include "reduce/input/batch_reader.hpp"
#include "reduce/input/piece_reader.hpp"
#include "reduce/input/presence.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

struct ReduceLane {
  int device = 0;                              ///< position in the rank's devices
  std::unique_ptr<device::Reducer> reducer;    ///< null if the device is lost
  std::unique_ptr<PieceReader> reader;         ///< for a device that takes pieces one by one
  std::unique_ptr<AlignedReader> pairs;        ///< of the second array
  std::unique_ptr<BatchReader> batches;        ///< for a device that takes many pieces at once
  const job::ArrayInput* generated = nullptr;  ///< what the device generates; null if it reads
  // The same for the array of --with.
  std::unique_ptr<BatchReader> with_batches;
  std::optional<job::ArrayInput> with_generated;
  // Set if elements may be missing; batches leave them out by themselves.
  std::optional<PresentElements> present;
  std::optional<PresentPairs> present_pairs;
  double read_s = 0;
};

/// Opens as many lanes as the devices have and --memory allows, one of each device before a second
/// of any. `with`: the second array, or null. Throws a usage error if --memory has no room for a
/// lane or a device cannot do this reduction, and DeviceError if a device lacks memory for its
/// first lane.
std::vector<ReduceLane> open_reduce_lanes(const binding::RankDevices& devices,
                                          const statistics::ReductionSpec& spec,
                                          const store::ArraySource& source,
                                          const store::ArraySource* with,
                                          const job::ReduceJob& job);

/// Opens reducers in the places of `device`, which joins, and returns their number. Its lanes have
/// no share of --memory: throws DeviceError if it does not generate the arrays itself, or has no
/// memory for its first lane.
int open_late_reduce_lanes(std::vector<ReduceLane>& lanes, const binding::RankDevices& devices,
                           int device, const statistics::ReductionSpec& spec,
                           const store::ArraySource& source, const store::ArraySource* with);

}  // namespace tessera::reduce
