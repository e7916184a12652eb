// Tiles of the result of a reduction over some axes: the elements of each to its answers, or to a
// partial result of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/page_buffer.hpp"
#include "device/axis_answer.hpp"
#include "device/device.hpp"
#include "job/reduce_job.hpp"
#include "plan/axis_plan.hpp"
#include "report/reduce_report.hpp"
#include "run/piece_reader.hpp"
#include "run/rank_devices.hpp"
#include "run/work.hpp"
#include "store/array_source.hpp"

namespace tessera::run {

/// The same on every rank.
struct AxisTask {
  const store::ArraySource* source = nullptr;
  const job::ReduceJob* job = nullptr;
  device::AxisGoal goal;
  std::vector<device::AxisResult> results;
  plan::AxisPlan plan;
  plan::AxisItems items;

  /// Memory of a lane: elements, partial results and answers.
  std::uint64_t lane_bytes() const;
  /// Of the answers about an output.
  std::size_t answer_bytes() const;
  /// Answers of a tile, one operation behind the other. Throws base::Error (failed), which tells
  /// the coordinates, for an integer that does not fit.
  void write_answers(std::int64_t tile, const device::AxisPartials& all,
                     std::span<std::byte> to) const;
};

/// How the array is cut: in chunks, or in pieces that lie together.
plan::AxisPlan plan_axes(const store::ArraySource& source, const job::ReduceJob& job,
                         const device::AxisGoal& goal);

/// An item is one of plan::AxisItems.
class AxisWork : public Work {
 public:
  /// As many lanes as the devices of the job have, or as there is room for. Usage error for a
  /// device that reduces no arrays, and if there is room for none.
  AxisWork(const AxisTask& task, const RankDevices& devices);

  int lanes() const override { return static_cast<int>(lanes_.size()); }
  report::Stage part_stage() const override { return report::Stage::compute; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<Task> begin(std::int64_t item, int lane) override;

  /// The body of the item's parcel: how many elements are not finite; then the answers of its
  /// tiles, or the partial result of the one that it has a share of.
  base::Bytes reduce(std::int64_t item, int lane);

  /// After the farm: what this rank did, its threads as the farm says.
  report::ReduceRank report(const std::vector<report::ThreadReport>& threads) const;

 private:
  struct AxisLane {
    std::unique_ptr<device::AxisReducer> reducer;
    std::unique_ptr<PieceReader> reader;  ///< of pieces that are those of the source
    base::PageBuffer elements;            ///< of others
    device::AxisPartials partials;
    std::int64_t items = 0;
    std::int64_t elements_read = 0;
    double read_s = 0;
  };

  /// `wanted`: how many pieces, this one among them, are likely to be read one after the other.
  std::span<const std::byte> read(const plan::AxisPiece& piece, std::int64_t wanted,
                                  AxisLane& lane) const;
  /// Answers of a tile that the lane's reducer has all of.
  void answer(std::int64_t tile, std::int64_t elements_each, AxisLane& lane,
              std::span<std::byte> to) const;

  const AxisTask& task_;
  std::string devices_;  ///< names
  std::vector<AxisLane> lanes_;
};

}  // namespace tessera::run
