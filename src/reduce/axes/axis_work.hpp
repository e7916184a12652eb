// The work of a reduction along axes: reduces the elements of result tiles to final values, or to
// partial results of a tile that is split over several items.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file/page_buffer.hpp"
#include "device/axis_reducer.hpp"
#include "job/arrays/reduce_job.hpp"
#include "plan/axis_plan.hpp"
#include "reduce/axes/array_sink.hpp"
#include "reduce/input/mapped_reader.hpp"
#include "reduce/input/piece_reader.hpp"
#include "reduce/item_work.hpp"
#include "reduce/job_facts.hpp"
#include "statistics/missing_outputs.hpp"
#include "statistics/order/lane_keys.hpp"
#include "statistics/output_values.hpp"
#include "store/arrays/array_source.hpp"
#include "store/arrays/array_writer.hpp"
#include "store/arrays/placed_arrays.hpp"

namespace tessera::reduce {

/// Which file of the job an array is in, and its number among the arrays there.
struct ArrayPlace {
  std::size_t file = 0;
  std::size_t number = 0;
};

/// A reduction along axes and how it is divided; the same on every rank.
struct AxisReduction {
  const store::ArraySource* source = nullptr;
  const job::ArrayJob* job = nullptr;
  const job::ReduceJob* reduction = nullptr;  ///< the same, if it is one; null of a map
  const JobFacts* facts = nullptr;
  std::vector<std::string> files;        ///< facts->outputs
  std::vector<std::string> named_files;  ///< those with a dataset of the user: FILE.h5:/NAME
  store::Attributes attributes;          ///< of the files
  statistics::OutputSpec output_spec;
  std::vector<statistics::AnswerType> results;
  /// One for each result. Only on the gather rank they have scales.
  std::vector<store::WrittenArray> arrays;
  bool ranks_may_write = false;  ///< by themselves; results begin with a MapHead, to say so
  /// The files, if this rank writes its results by itself; null for those in chunks.
  std::vector<std::shared_ptr<store::PlacedArrays>> placed;
  /// The same: the sink of the calling program, if this rank's threads write to it; or null.
  ArraySink* direct = nullptr;
  bool keeps_keys = false;  ///< all elements of an output are in memory at a time
  plan::AxisPlan plan;
  std::int64_t tiles_together = 1;  ///< an item has whole runs of so many tiles
  plan::AxisItems items;

  ArrayPlace place_of(std::size_t array) const {
    return files.size() == 1 ? ArrayPlace{0, array} : ArrayPlace{array, 0};
  }
  bool in_chunks(std::size_t array) const { return !arrays[array].chunk.empty(); }
  /// Bytes of memory that a lane needs for elements, partial results and final values, and, if it
  /// keeps keys itself, for these.
  std::uint64_t lane_bytes(bool keeps) const;
  /// Bytes of the final values of one output, over all operations.
  std::size_t answer_bytes() const;
  /// The spec of devices, which know no missing elements.
  statistics::OutputSpec device_spec() const {
    return source->info().missing ? statistics::MissingOutputs::device_spec(output_spec)
                                  : output_spec;
  }
  /// Writes the final values of a tile to `to`, operation by operation, but for order statistics.
  /// Throws base::Error (failed)
  /// with the coordinates if an integer does not fit its type.
  void write_answers(std::int64_t tile, const statistics::OutputPartials& all,
                     std::span<std::byte> to) const;
};

/// The reducer and memory of one worker thread.
struct AxisLane {
  int device = 0;  ///< position in the rank's devices
  std::unique_ptr<device::AxisReducer> reducer;
  std::unique_ptr<PieceReader> reader;        ///< for pieces that are pieces of the source
  base::PageBuffer elements;                  ///< memory for other pieces
  std::unique_ptr<device::HostBuffer> batch;  ///< pinned memory, if the device asks for it
  std::int64_t batch_room = 0;                ///< elements
  std::int64_t batch_used = 0;
  std::unique_ptr<MappedReader> mapped;  ///< if the device evaluates the elements
  const job::ArrayInput* generated =
      nullptr;  ///< the array that the device makes; null if it reads
  statistics::OutputPartials partials;
  std::optional<statistics::MissingOutputs> missing;  ///< set if elements may be missing
  /// Keys of a tile, for order statistics; none if the reducer keeps the elements.
  std::optional<statistics::LaneKeys> keys;
  double read_s = 0;
};

/// Opens as many lanes as the devices have and --memory allows, one of each device before a second
/// of any. Throws a usage error if --memory has no room for a lane or a device cannot reduce along
/// axes, and DeviceError if a device lacks memory for its first lane.
std::vector<AxisLane> open_axis_lanes(const AxisReduction& task,
                                      const binding::RankDevices& devices);

/// Divides the array into its chunks, or, if it has none, into contiguous pieces.
plan::AxisPlan plan_axes(const store::ArraySource& source, const job::ReduceJob& job,
                         const statistics::OutputSpec& output_spec);

/// An item is an item of plan::AxisItems. Opens the lanes with open_axis_lanes() and throws its
/// errors.
std::unique_ptr<ItemWork> open_axis_work(const AxisReduction& task, binding::RankDevices& devices);

}  // namespace tessera::reduce
