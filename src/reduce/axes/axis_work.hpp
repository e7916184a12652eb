// Tiles of the result of a reduction over some axes: the elements of each to its answers, or to a
// partial result of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file/page_buffer.hpp"
#include "binding/rank_devices.hpp"
#include "device/axis_reducer.hpp"
#include "device/device.hpp"
#include "farm/drop_in_hand.hpp"
#include "farm/work.hpp"
#include "job/reduce_job.hpp"
#include "plan/axis_plan.hpp"
#include "reduce/input/piece_reader.hpp"
#include "report/reduce_report.hpp"
#include "statistics/output_values.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// The same on every rank.
struct AxisReduction {
  const store::ArraySource* source = nullptr;
  const job::ReduceJob* job = nullptr;
  statistics::OutputSpec output_spec;
  std::vector<statistics::AnswerType> results;
  plan::AxisPlan plan;
  plan::AxisItems items;

  /// Memory of a lane: elements, partial results and answers.
  std::uint64_t lane_bytes() const;
  /// Of the answers about an output.
  std::size_t answer_bytes() const;
  /// Answers of a tile, one operation behind the other. Throws base::Error (failed), which tells
  /// the coordinates, for an integer that does not fit.
  void write_answers(std::int64_t tile, const statistics::OutputPartials& all,
                     std::span<std::byte> to) const;
};

/// One worker's.
struct AxisLane {
  int device = 0;  ///< position in the rank's devices
  std::unique_ptr<device::AxisReducer> reducer;
  std::unique_ptr<PieceReader> reader;        ///< of pieces that are those of the source
  base::PageBuffer elements;                  ///< of others
  std::unique_ptr<device::HostBuffer> batch;  ///< of a device that likes some on their way to it
  std::size_t batch_used = 0;
  const job::ArrayInput* generated = nullptr;  ///< what the device makes itself instead of reading
  statistics::OutputPartials partials;
  double read_s = 0;
};

/// How the array is cut: in chunks, or in pieces that lie together.
plan::AxisPlan plan_axes(const store::ArraySource& source, const job::ReduceJob& job,
                         const statistics::OutputSpec& output_spec);

/// An item is one of plan::AxisItems.
class AxisWork : public farm::Work {
 public:
  /// Lanes and errors as open_axis_lanes() has them.
  AxisWork(const AxisReduction& task, binding::RankDevices& devices);

  int lanes() const override { return static_cast<int>(lanes_.size()); }
  int device_of_lane(int lane) const override { return at(lane).device; }
  bool lane_lost(int lane) const override { return devices_.lost(at(lane).device); }
  std::string lose_lane(int lane, const std::string& why) override {
    return devices_.lose(at(lane).device, why);
  }
  report::Stage part_stage() const override { return report::Stage::compute; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<farm::Task> begin(std::int64_t item, int lane) override;

  /// The body of the item's parcel: how many elements are not finite; then the answers of its
  /// tiles, or the partial result of the one that it has a share of. Nothing if the run is to stop
  /// and there is no time for all of the item.
  std::optional<base::Bytes> reduce(std::int64_t item, int lane);

  /// After the farm: what this rank did, its threads as the farm says.
  report::RankReport report(std::vector<report::ThreadReport> threads) const;

 private:
  const AxisLane& at(int lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
  /// `wanted`: how many pieces, this one among them, are likely to be read one after the other.
  std::span<const std::byte> read(const plan::AxisPiece& piece, std::int64_t wanted,
                                  AxisLane& lane) const;
  /// Of a box that is no piece of the source.
  void read_others(const plan::Box& box, AxisLane& lane, std::span<std::byte> to) const;
  /// Into memory that the lane's device takes elements from.
  std::span<const std::byte> read_into_batch(const plan::AxisPiece& piece, AxisLane& lane) const;
  /// The item's pieces of a tile to the lane's reducer. Returns how many elements that was; nothing
  /// if the run is to stop and there is no time for all.
  std::optional<std::int64_t> add_pieces(std::int64_t tile, const plan::AxisItems::Item& range,
                                         AxisLane& lane);
  /// Made arrays have one dimension, so that pieces are elements in a row. Returns how many.
  std::int64_t add_generated(const plan::AxisItems::Item& range, AxisLane& lane) const;
  /// Answers of a tile that the lane's reducer has all of.
  void answer(std::int64_t tile, std::int64_t elements_each, AxisLane& lane,
              std::span<std::byte> to) const;

  const AxisReduction& task_;
  binding::RankDevices& devices_;
  std::vector<AxisLane> lanes_;
  farm::DropInHand drop_in_hand_;
};

}  // namespace tessera::reduce
