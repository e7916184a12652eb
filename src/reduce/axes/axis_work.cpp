#include "reduce/axes/axis_work.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "reduce/input/box_reader.hpp"

namespace tessera::reduce {
namespace {

/// Small enough to be in the second-level cache when it is reduced.
// crossed by: test_elements_of_an_output
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;
constexpr std::uint64_t kTileBytes = std::uint64_t{8} << 20;
// crossed by: test_outputs_of_a_tile
constexpr std::uint64_t kMaxTileOutputs = 8192;
/// Tiles of order statistics that --memory holds, elements included.
constexpr std::uint64_t kOrderTiles = 16;

bool comes_in_chunks(const store::ArraySource& source) {
  const plan::ArrayPieces& pieces = source.pieces();
  return pieces.are_boxes() && pieces.count() > 0 && source.chunk_coding(0) != nullptr;
}

/// Converts an output number within a tile to coordinates in the result.
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

/// Pieces of as many outputs as there is room for with all their elements.
plan::Shape grain_of_whole_outputs(const store::ArraySource& source, const job::ReduceJob& job,
                                   const std::vector<bool>& reduced) {
  const plan::Shape& shape = source.info().shape;
  std::int64_t elements_each = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) elements_each *= reduced[d] ? shape[d] : 1;
  const std::uint64_t bytes_each =
      statistics::LaneKeys::bytes_each(std::max<std::int64_t>(1, elements_each));
  const std::uint64_t outputs =
      std::clamp<std::uint64_t>(job.memory_bytes / kOrderTiles / bytes_each, 1, kMaxTileOutputs);
  const auto element_bytes = static_cast<std::int64_t>(base::element_bytes(source.info().type));
  return plan::piece_of_axes(shape, reduced, source.order(), kPieceBytes / element_bytes,
                             static_cast<std::int64_t>(outputs));
}

/// For each dimension of the source, whether the job reduces over it; over that of pairs always.
std::vector<bool> reduced_in(const store::ArraySource& source, const job::ReduceJob& job) {
  const store::ArraySource& shown = source.shown();
  std::vector<bool> reduced = job::reduced_dimensions(job.axes, shown.info().shape,
                                                      shown.dimension_names(), shown.info().name);
  reduced.insert(reduced.begin(), static_cast<std::size_t>(source.dimensions_before()), false);
  reduced.resize(source.info().shape.size(), true);
  return reduced;
}

class AxisWork : public ItemWork {
 public:
  AxisWork(const AxisReduction& task, binding::RankDevices& devices)
      : ItemWork(devices), task_(task), lanes_(open_axis_lanes(task, devices)) {
    set_lanes(lanes_);
  }

  std::int64_t items() const override { return task_.items.count(); }
  /// The result begins with the counts of elements that are not finite. Then come the final values
  /// of the item's tiles, or the partial result if the item is a part of one tile.
  std::optional<base::Bytes> reduce(std::int64_t item, int lane) override {
    AxisLane& mine = lanes_[static_cast<std::size_t>(lane)];
    const plan::AxisItems::Item range = task_.items.item(item);
    const bool shared = task_.items.shares() > 1;
    statistics::SpecialCounts specials;
    base::ByteWriter partial;
    base::Bytes answers;
    std::int64_t all_elements = 0;
    for (std::int64_t tile = range.first_tile; tile < range.end_tile; ++tile) {
      const std::int64_t outputs = task_.plan.tile(tile).elements();
      mine.reducer->begin(outputs);
      if (mine.missing) mine.missing->begin(outputs);
      if (mine.keys) mine.keys->begin(outputs);
      const std::optional<std::int64_t> elements =
          mine.generated != nullptr ? add_generated(range, mine) : add_pieces(tile, range, mine);
      if (!elements) return std::nullopt;
      mine.reducer->end();
      all_elements += *elements;
      const statistics::SpecialCounts found = mine.reducer->specials();
      specials += mine.missing ? mine.missing->specials(found) : found;
      if (shared) {
        finish(*elements / outputs, mine);
        partial.put(mine.partials);
        continue;
      }
      const std::size_t bytes = static_cast<std::size_t>(outputs) * task_.answer_bytes();
      answers.resize(answers.size() + bytes);
      answer(tile, *elements / outputs, mine, std::span(answers).last(bytes));
    }
    mine.reader->release();
    base::ByteWriter body;
    return body.put(all_elements).put(specials).put_bytes(shared ? partial.take() : answers).take();
  }

 private:
  /// `requested`: number of pieces, this one included, that are likely to be read in sequence.
  statistics::Elements read(const plan::AxisPiece& piece, std::int64_t requested,
                            AxisLane& lane) const {
    const base::Stopwatch reading(lane.read_s);
    if (lane.batch) return read_into_batch(piece, lane);
    const plan::ArrayPieces& pieces = task_.source->pieces();
    if (const auto number = pieces.piece_of(piece.box, task_.plan.order())) {
      const bool in_a_row = task_.source->chunk_coding(*number) == nullptr;
      return lane.reader->read(*number,
                               std::min(*number + (in_a_row ? requested : 1), pieces.count()));
    }
    const auto elements = lane.elements.take(static_cast<std::size_t>(piece.box.elements()) *
                                             base::element_bytes(task_.source->info().type));
    read_others(piece.box, lane, elements);
    return elements;
  }
  /// Reads a box that is not a piece of the source.
  void read_others(const plan::Box& box, AxisLane& lane, std::span<std::byte> to) const {
    if (task_.plan.order() == plan::StorageOrder::last_dimension_fastest) {
      read_box(*task_.source, box, *lane.reader, to);
    } else {  // an element order that no chunked array has
      task_.source->read_box_in_order(box, to);
    }
  }
  /// Reads into the memory that the lane's device reads elements from.
  statistics::Elements read_into_batch(const plan::AxisPiece& piece, AxisLane& lane) const {
    const store::ArraySource& source = *task_.source;
    const std::int64_t elements = piece.box.elements();
    if (lane.batch_used + elements > lane.batch_room) {
      lane.reducer->wait();
      lane.batch_used = 0;
    }
    const std::int64_t place = std::exchange(lane.batch_used, lane.batch_used + elements);
    const auto number = source.pieces().piece_of(piece.box, task_.plan.order());
    if (lane.mapped) {
      if (number) {
        lane.mapped->read(*number, place);
      } else {
        lane.mapped->read(piece.box, task_.plan.order(), place);
      }
      return lane.mapped->elements(place, elements);
    }
    const std::size_t bytes_each = base::element_bytes(source.info().type);
    const std::span<std::byte> to =
        lane.batch->bytes().subspan(static_cast<std::size_t>(place) * bytes_each,
                                    static_cast<std::size_t>(elements) * bytes_each);
    if (!number) {
      read_others(piece.box, lane, to);
    } else if (source.chunk_coding(*number) != nullptr) {
      std::ranges::copy(lane.reader->read(*number, *number + 1), to.begin());
    } else {
      source.read(*number, to);
    }
    return to;
  }
  /// Adds the item's pieces of a tile to the lane's reducer. Returns the number of elements, or
  /// nothing if the run was asked to stop and the grace period has ended.
  std::optional<std::int64_t> add_pieces(std::int64_t tile, const plan::AxisItems::Item& range,
                                         AxisLane& lane) {
    std::int64_t elements = 0;
    for (std::int64_t number = range.first_piece; number < range.end_piece; ++number) {
      if (grace_.over_after_stop_request()) return std::nullopt;
      const plan::AxisPiece piece = task_.plan.piece(tile, number);
      const std::int64_t requested =
          (range.end_tile - tile - 1) * task_.plan.pieces_each() + range.end_piece - number;
      const statistics::Elements read_elements = read(piece, requested, lane);
      if (lane.missing) lane.missing->add(read_elements.bytes(), piece);
      if (!lane.missing || !lane.missing->adds()) lane.reducer->add(read_elements, piece);
      if (lane.keys) lane.keys->add(read_elements.bytes(), piece);
      elements += piece.box.elements();
    }
    return elements;
  }
  /// The same for a generated array, which has one dimension, so each piece is a contiguous range.
  /// Returns the number of elements.
  std::int64_t add_generated(const plan::AxisItems::Item& range, AxisLane& lane) const {
    if (range.first_piece == range.end_piece) return 0;
    plan::AxisPiece piece = task_.plan.piece(range.first_tile, range.first_piece);
    const plan::AxisPiece last = task_.plan.piece(range.first_tile, range.end_piece - 1);
    const std::int64_t first = piece.box.origin.front();
    const std::int64_t count = last.box.origin.front() + last.box.extent.front() - first;
    piece.box.extent.front() = count;
    piece.levels = {{.extent = count, .reduced = true, .index_step = 1}};
    lane.reducer->add(statistics::GeneratedElements{*lane.generated, first, count}, piece);
    return count;
  }
  /// The partial results of what the lane has been given.
  void finish(std::int64_t elements_each, AxisLane& lane) const {
    if (!lane.missing || !lane.missing->adds()) lane.reducer->finish(elements_each, lane.partials);
    if (lane.missing) lane.missing->finish(elements_each, lane.partials);
  }
  /// Writes the order statistics of such a tile.
  void answer_order(std::int64_t tile, std::int64_t elements_each, AxisLane& lane,
                    std::span<std::byte> to) const {
    const base::ElementType type = task_.output_spec.spec.type;
    const statistics::TileAnswers answers{*task_.reduction, type, task_.plan.tile(tile).elements(),
                                          task_.results, to};
    if (lane.keys) return lane.keys->write_answers(answers);
    lane.reducer->find_order(
        {*task_.reduction, type, elements_each, 0},
        [&](std::int64_t output, const statistics::Partial& counts,
            const statistics::OrderFindings& found) { answers.write(output, counts, found); });
  }
  /// Writes the final values of a tile whose elements are all in the lane's reducer.
  void answer(std::int64_t tile, std::int64_t elements_each, AxisLane& lane,
              std::span<std::byte> to) const {
    const statistics::AnswerParameters parameters{elements_each, task_.reduction->ddof};
    const auto outputs = static_cast<std::size_t>(task_.plan.tile(tile).elements());
    if (task_.keeps_keys) answer_order(tile, elements_each, lane, to);
    std::span<std::byte> rest = to;
    const bool answered =
        !lane.missing &&
        std::ranges::all_of(task_.results, [&](const statistics::AnswerType& result) {
          const auto mine = rest.first(outputs * result.bytes_each());
          rest = rest.subspan(mine.size());
          return statistics::is_order_statistic(result.operation) ||
                 lane.reducer->answer(result.operation, parameters, mine);
        });
    if (answered) return;
    finish(elements_each, lane);
    task_.write_answers(tile, lane.partials, to);
  }

  double read_s() const override { return total_read_s(lanes_); }
  std::vector<report::DeviceMemory> device_memory() const override {
    return memory_of(devices_, lanes_);
  }
  bool restart(int lane) override {
    AxisLane& mine = lanes_[static_cast<std::size_t>(lane)];
    mine.batch_used = 0;
    return mine.reducer->restart();
  }

  const AxisReduction& task_;
  std::vector<AxisLane> lanes_;
};

}  // namespace

std::size_t AxisReduction::answer_bytes() const {
  std::size_t bytes = 0;
  for (const statistics::AnswerType& result : results) bytes += result.bytes_each();
  return bytes;
}

std::uint64_t AxisReduction::lane_bytes(bool keeps) const {
  const auto outputs = static_cast<std::uint64_t>(plan.max_outputs());
  const auto piece =
      static_cast<std::uint64_t>(plan.max_elements()) * base::element_bytes(source->info().type);
  std::uint64_t reading = 2 * piece + PieceReader::kViewBytes;
  if (comes_in_chunks(*source)) {
    reading = PieceReader::memory_bytes(*source);
  } else if (source->pieces().is_joined()) {  // some of its files may be chunked
    reading += PieceReader::memory_bytes(*source);
  }
  // Twice: the partial results in the device, and those that it returns.
  const std::uint64_t partials = 2 * outputs * statistics::OutputPartials::bytes_each(output_spec);
  // An item has many small tiles or one tile, and at most all outputs.
  const std::uint64_t item_elements = job->slice_bytes / base::element_bytes(source->info().type);
  const auto each = static_cast<std::uint64_t>(std::max<std::int64_t>(1, plan.elements_each()));
  const std::uint64_t item_outputs = std::min(static_cast<std::uint64_t>(plan.output_count()),
                                              std::max(outputs, item_elements / each));
  const std::uint64_t keys =
      keeps ? statistics::LaneKeys::bytes(*reduction, outputs, plan.elements_each()) : 0;
  return reading + partials + keys + item_outputs * answer_bytes();
}

void AxisReduction::write_answers(std::int64_t tile, const statistics::OutputPartials& all,
                                  std::span<std::byte> to) const {
  for (const statistics::AnswerType& result : results) {
    const std::size_t bytes = result.bytes_each() * static_cast<std::size_t>(all.outputs);
    std::optional<statistics::Overflow> overflow;
    if (!statistics::is_order_statistic(result.operation)) {
      overflow =
          statistics::write_answers(result, output_spec, all, reduction->ddof, to.first(bytes));
    }
    if (overflow) {
      throw base::run_error("{} at [{}] is {}, which {} does not hold",
                            job::operation_name(result.operation),
                            fmt::join(coordinates_of(plan, tile, overflow->output), ", "),
                            overflow->value, base::element_code(result.type));
    }
    to = to.subspan(bytes);
  }
}

plan::AxisPlan plan_axes(const store::ArraySource& source, const job::ReduceJob& job,
                         const statistics::OutputSpec& output_spec) {
  const store::ArrayInfo& array = source.info();
  std::vector<bool> reduced = reduced_in(source, job);
  plan::Shape grain = source.chunk_shape();
  // Chunks do not cross from one file to the next. Pieces of files without chunks may.
  const plan::Shape rows = grain.empty() ? plan::Shape() : source.pieces().part_rows();
  if (grain.empty() && statistics::OrderPasses::requested(job)) {
    grain = grain_of_whole_outputs(source, job, reduced);
  } else if (grain.empty()) {
    const std::int64_t bytes = std::min(kPieceBytes, static_cast<std::int64_t>(job.slice_bytes));
    const std::uint64_t outputs = kTileBytes / statistics::OutputPartials::bytes_each(output_spec);
    grain = plan::piece_of_axes(
        array.shape, reduced, source.order(),
        bytes / static_cast<std::int64_t>(base::element_bytes(array.type)),
        static_cast<std::int64_t>(std::clamp<std::uint64_t>(outputs, 1, kMaxTileOutputs)));
  }
  return {array.shape, std::move(reduced), grain, source.order(), rows};
}

std::unique_ptr<ItemWork> open_axis_work(const AxisReduction& task, binding::RankDevices& devices) {
  return std::make_unique<AxisWork>(task, devices);
}

}  // namespace tessera::reduce
