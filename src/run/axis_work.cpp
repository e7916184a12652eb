#include "run/axis_work.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::run {
namespace {

/// Resident before the first item, under Open MPI 4.1.
constexpr std::uint64_t kProgramBytes = std::uint64_t{64} << 20;
/// Still in the second cache when it is reduced.
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;
constexpr std::uint64_t kTileBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kMostTileOutputs = 8192;

std::size_t lanes_that_fit(const job::ReduceJob& job, std::uint64_t bytes, std::size_t wanted) {
  const std::uint64_t least = kProgramBytes + bytes;
  if (least > job.memory_bytes) {
    throw base::usage_error("--memory {}: with --axis, one thread needs {}; give at least that",
                            base::format_bytes(static_cast<double>(job.memory_bytes)),
                            base::format_bytes(static_cast<double>(least)));
  }
  const std::uint64_t fit = (job.memory_bytes - kProgramBytes) / std::max<std::uint64_t>(bytes, 1);
  return std::min<std::size_t>(fit, wanted);
}

bool comes_in_chunks(const store::ArraySource& source) {
  const plan::ArrayPieces& pieces = source.pieces();
  return pieces.are_boxes() && pieces.count() > 0 && source.coding(0) != nullptr;
}

/// In the numbering of a tile to coordinates in the result.
plan::Shape coordinates_of(const plan::AxisPlan& plan, std::int64_t tile, std::int64_t output) {
  plan::Box box = plan.tile(tile);
  const bool c_order = plan.order() == plan::StorageOrder::last_dimension_fastest;
  for (std::size_t i = 0; i < box.extent.size(); ++i) {
    const std::size_t d = c_order ? box.extent.size() - 1 - i : i;
    box.origin[d] += output % box.extent[d];
    output /= box.extent[d];
  }
  return box.origin;
}

class AxisItemTask : public Task {
 public:
  AxisItemTask(AxisWork& work, std::int64_t item) : work_(work), item_(item) {}
  int parts() const override { return 1; }
  void run_part(int, int lane) override { body_ = work_.reduce(item_, lane); }
  void finish(int, const Emit& emit) override { emit({.item = item_, .body = std::move(body_)}); }

 private:
  AxisWork& work_;
  std::int64_t item_;
  base::Bytes body_;
};

}  // namespace

std::size_t AxisTask::answer_bytes() const {
  std::size_t bytes = 0;
  for (const device::AxisResult& result : results) bytes += result.bytes_each();
  return bytes;
}

std::uint64_t AxisTask::lane_bytes() const {
  const auto outputs = static_cast<std::uint64_t>(plan.most_outputs());
  const auto piece =
      static_cast<std::uint64_t>(plan.most_elements()) * base::element_bytes(source->info().type);
  const std::uint64_t reading = comes_in_chunks(*source) ? PieceReader::memory_bytes(*source)
                                                         : 2 * piece + PieceReader::kViewBytes;
  // What the device works on, and what it gives.
  const std::uint64_t partials = 2 * outputs * device::AxisPartials::bytes_each(goal);
  // An item has many small tiles, or one.
  const std::uint64_t item_elements = job->slice_bytes / base::element_bytes(source->info().type);
  const auto each = static_cast<std::uint64_t>(std::max<std::int64_t>(1, plan.elements_each()));
  return reading + partials + std::max(outputs, item_elements / each) * answer_bytes();
}

void AxisTask::write_answers(std::int64_t tile, const device::AxisPartials& all,
                             std::span<std::byte> to) const {
  for (const device::AxisResult& result : results) {
    const std::size_t bytes = result.bytes_each() * static_cast<std::size_t>(all.outputs);
    const auto misfit = device::write_answers(result, goal, all, *job, to.first(bytes));
    if (misfit) {
      throw base::run_error("{} at [{}] is {}, which {} does not hold",
                            job::operation_name(result.operation),
                            fmt::join(coordinates_of(plan, tile, misfit->output), ", "),
                            misfit->value, base::element_code(result.type));
    }
    to = to.subspan(bytes);
  }
}

plan::AxisPlan plan_axes(const store::ArraySource& source, const job::ReduceJob& job,
                         const device::AxisGoal& goal) {
  const store::ArrayInfo& array = source.info();
  std::vector<bool> reduced = job::reduced_dimensions(job.axes, array.shape, array.name);
  plan::Shape grain = source.grain();
  if (grain.empty()) {
    const std::int64_t bytes = std::min(kPieceBytes, static_cast<std::int64_t>(job.slice_bytes));
    const std::uint64_t outputs = kTileBytes / device::AxisPartials::bytes_each(goal);
    grain = plan::piece_of_axes(
        array.shape, reduced, source.order(),
        bytes / static_cast<std::int64_t>(base::element_bytes(array.type)),
        static_cast<std::int64_t>(std::clamp<std::uint64_t>(outputs, 1, kMostTileOutputs)));
  }
  return {array.shape, std::move(reduced), std::move(grain), source.order()};
}

AxisWork::AxisWork(const AxisTask& task, const RankDevices& devices)
    : task_(task), devices_(devices.names()) {
  for (int device = 0; device < devices.count(); ++device) {
    for (int i = 0; i < devices[device].lanes(); ++i) {
      lanes_.push_back({.reducer = devices[device].open_axis_reducer(task.goal)});
      if (lanes_.back().reducer) continue;
      throw base::usage_error("--device {}: does not reduce along axes",
                              devices[device].info().name);
    }
  }
  lanes_.resize(lanes_that_fit(*task.job, task.lane_bytes(), lanes_.size()));
  for (AxisLane& lane : lanes_) lane.reader = std::make_unique<PieceReader>(*task.source);
}

std::unique_ptr<Task> AxisWork::begin(std::int64_t item, int) {
  return std::make_unique<AxisItemTask>(*this, item);
}

std::span<const std::byte> AxisWork::read(const plan::AxisPiece& piece, std::int64_t wanted,
                                          AxisLane& lane) const {
  const base::Stopwatch reading(lane.read_s);
  lane.elements_read += piece.box.elements();
  const plan::ArrayPieces& pieces = task_.source->pieces();
  if (comes_in_chunks(*task_.source)) {
    const std::int64_t chunk = pieces.piece_at(piece.box.origin);
    return lane.reader->read(chunk, chunk + 1);
  }
  if (const auto run = pieces.run_of(piece.box, task_.plan.order())) {
    return lane.reader->read(*run, std::min(*run + wanted, pieces.count()));
  }
  const auto elements = lane.elements.take(static_cast<std::size_t>(piece.box.elements()) *
                                           base::element_bytes(task_.source->info().type));
  task_.source->read_box_in_order(piece.box, elements);
  return elements;
}

void AxisWork::answer(std::int64_t tile, std::int64_t elements_each, AxisLane& lane,
                      std::span<std::byte> to) const {
  if (task_.results.size() == 1 &&
      lane.reducer->answer(task_.results.front().operation, elements_each, to)) {
    return;
  }
  lane.reducer->finish(elements_each, lane.partials);
  task_.write_answers(tile, lane.partials, to);
}

base::Bytes AxisWork::reduce(std::int64_t item, int lane) {
  AxisLane& mine = lanes_[static_cast<std::size_t>(lane)];
  const plan::AxisItems::Item range = task_.items.item(item);
  const bool shared = task_.items.shares() > 1;
  device::SpecialCounts specials;
  base::ByteWriter partial;
  base::Bytes answers;
  for (std::int64_t tile = range.first_tile; tile < range.end_tile; ++tile) {
    const std::int64_t outputs = task_.plan.tile(tile).elements();
    std::int64_t elements = 0;
    mine.reducer->begin(outputs);
    for (std::int64_t number = range.first_piece; number < range.end_piece; ++number) {
      const plan::AxisPiece piece = task_.plan.piece(tile, number);
      const std::int64_t wanted =
          (range.end_tile - tile - 1) * task_.plan.pieces_each() + range.end_piece - number;
      mine.reducer->add(read(piece, wanted, mine), piece);
      elements += piece.box.elements();
    }
    specials += mine.reducer->specials();
    if (shared) {
      mine.reducer->finish(elements / outputs, mine.partials);
      mine.partials.write(partial);
      continue;
    }
    const std::size_t bytes = static_cast<std::size_t>(outputs) * task_.answer_bytes();
    answers.resize(answers.size() + bytes);
    answer(tile, elements / outputs, mine, std::span(answers).last(bytes));
  }
  mine.reader->release();
  ++mine.items;
  base::ByteWriter body;
  return body.put(specials).put_bytes(shared ? partial.take() : answers).take();
}

report::ReduceRank AxisWork::report(const std::vector<report::ThreadReport>& threads) const {
  report::ReduceRank rank{.device = devices_, .workers = lanes()};
  for (const report::ThreadReport& thread : threads) {
    if (!thread.worker) continue;
    rank.reduce_s += thread.seconds[static_cast<std::size_t>(report::Stage::compute)];
    rank.wait_s += thread.seconds[static_cast<std::size_t>(report::Stage::wait)];
  }
  for (const AxisLane& lane : lanes_) {
    rank.slices += lane.items;
    rank.elements += lane.elements_read;
    rank.read_s += lane.read_s;
  }
  rank.reduce_s = std::max(0.0, rank.reduce_s - rank.read_s);
  rank.bytes =
      static_cast<std::uint64_t>(rank.elements) * base::element_bytes(task_.source->info().type);
  return rank;
}

}  // namespace tessera::run
