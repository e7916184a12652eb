#include "reduce/axes/map_work.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/vector_clones.hpp"
#include "expression/evaluator.hpp"
#include "expression/type.hpp"
#include "plan/box_rows.hpp"
#include "reduce/axes/map_plan.hpp"

namespace tessera::reduce {
namespace {

template <class Bits>
Bits bits_at(std::span<const std::byte> elements, std::size_t at) {
  Bits bits;
  std::memcpy(&bits, elements.data() + at, sizeof(Bits));
  return bits;
}

/// Counts the elements that are not finite. Most tiles have none, which takes one fast pass.
template <class Bits>
statistics::SpecialCounts count_bits(std::span<const std::byte> elements, Bits infinity) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  Bits any = 0;
  for (std::size_t at = 0; at < elements.size(); at += sizeof(Bits)) {
    const Bits bits = bits_at<Bits>(elements, at);
    any = static_cast<Bits>(any | static_cast<Bits>((bits & infinity) == infinity));
  }
  statistics::SpecialCounts counts;
  if (any == 0) return counts;
  for (std::size_t at = 0; at < elements.size(); at += sizeof(Bits)) {
    const Bits bits = bits_at<Bits>(elements, at);
    counts.nans += static_cast<std::int64_t>(static_cast<Bits>(bits & ~kSign) > infinity);
    counts.positive_infinities += static_cast<std::int64_t>(bits == infinity);
    counts.negative_infinities += static_cast<std::int64_t>(bits == (infinity | kSign));
  }
  return counts;
}

TESSERA_WITH_AND_WITHOUT_AVX2
statistics::SpecialCounts count_specials(std::span<const std::byte> elements,
                                         base::ElementType type) {
  if (type == base::ElementType::f64)
    return count_bits<std::uint64_t>(elements, 0x7ff0000000000000);
  if (type == base::ElementType::f32) return count_bits<std::uint32_t>(elements, 0x7f800000);
  if (type == base::ElementType::f16) return count_bits<std::uint16_t>(elements, 0x7c00);
  return {};
}

void put_chunk(const codec::EncodedChunk& chunk, base::ByteWriter& message) {
  message.put(chunk.filter_mask, chunk.bytes);
}

class MapWork : public ItemWork {
 public:
  MapWork(const AxisReduction& task, binding::RankDevices& devices)
      : ItemWork(devices),
        task_(task),
        source_(mapped_source(task)),
        lanes_(open_map_lanes(task, devices)) {
    set_lanes(lanes_);
  }

  std::int64_t items() const override { return task_.items.count(); }
  /// Writes the elements, or sends them to the gather rank (MapHead).
  std::optional<base::Bytes> reduce(std::int64_t item, int lane_number) override {
    MapLane& lane = lanes_[static_cast<std::size_t>(lane_number)];
    const base::Stopwatch reading(lane.read_s);
    const plan::AxisItems::Item range = task_.items.item(item);
    base::ByteWriter message;
    MapHead head{.written = !task_.placed.empty() || task_.direct != nullptr};
    message.put_bytes(head.encode());
    for (std::int64_t tile = range.first_tile; tile < range.end_tile;) {
      if (grace_.over_after_stop_request()) return std::nullopt;
      const std::int64_t end_tile = std::min(range.end_tile, tile + lane.tiles_at_once);
      evaluate(tile, end_tile, lane);
      for (std::int64_t place = 0; tile < end_tile; ++tile) {
        const plan::Box box = task_.plan.tile(tile);
        put(box, place, lane, head, message);
        place += box.elements();
        head.outputs += box.elements();
      }
    }
    if (!task_.placed.empty()) start_sync(range, head.outputs);
    base::Bytes bytes = message.take();
    std::ranges::copy(head.encode(), bytes.begin());
    return bytes;
  }

 private:
  double read_s() const override { return total_read_s(lanes_); }
  std::vector<report::DeviceMemory> device_memory() const override {
    return binding::device_memory(devices_, lanes_, [](const MapLane& lane) {
      return lane.mapper ? lane.mapper->peak_memory_bytes() : 0;
    });
  }
  bool restart(int lane) override {
    device::Mapper* const mapper = lanes_[static_cast<std::size_t>(lane)].mapper.get();
    return mapper != nullptr && mapper->restart();
  }

  /// Evaluates tiles to the lane's elements, one tile after the other.
  void evaluate(std::int64_t first_tile, std::int64_t end_tile, MapLane& lane) const {
    std::int64_t count = 0;
    for (std::int64_t tile = first_tile; tile < end_tile; ++tile) {
      const plan::Box box = task_.plan.tile(tile);
      read(box, count, lane);
      count += box.elements();
    }
    for (const DeviceExpressions& some : lane.on_device) {
      std::vector<base::ElementType> types;
      std::vector<std::span<std::byte>> to;
      for (const std::size_t number : some.numbers) {
        const statistics::AnswerType& result = task_.results[number];
        types.push_back(result.type);
        to.push_back(lane.expressions[number].elements.first(static_cast<std::size_t>(count) *
                                                             result.bytes_each()));
      }
      lane.mapper->evaluate(some.reader->elements(0, count), types, to);
    }
  }
  /// Evaluates what is read of a tile, whose elements begin at `place` of those of the lane.
  MappedSource::Visit evaluate_to(const plan::Box& box, std::int64_t place, MapLane& lane) const {
    std::vector<std::byte*> to;
    for (const std::size_t i : lane.evaluated)
      to.push_back(elements_of(i, box, place, lane).data());
    return [this, &lane, to](std::span<const std::byte* const> inputs,
                             const expression::Region& region, std::size_t count) mutable {
      lane.evaluator->evaluate(inputs, region, count, to);
      for (std::size_t n = 0; n < to.size(); ++n) {
        to[n] += count * task_.results[lane.evaluated[n]].bytes_each();
      }
    };
  }
  /// The elements of an expression in a tile: where the sink has them, or else those of the lane.
  std::span<std::byte> elements_of(std::size_t expression, const plan::Box& box, std::int64_t place,
                                   MapLane& lane) const {
    const std::size_t bytes_each = task_.results[expression].bytes_each();
    const std::size_t bytes = static_cast<std::size_t>(box.elements()) * bytes_each;
    if (std::byte* const to = in_sink(expression, box, lane)) return {to, bytes};
    return lane.expressions[expression].elements.subspan(
        static_cast<std::size_t>(place) * bytes_each, bytes);
  }
  /// Where the sink has them; null if it has no memory for them, or a device evaluates.
  std::byte* in_sink(std::size_t expression, const plan::Box& box, const MapLane& lane) const {
    if (task_.direct == nullptr || lane.mapper || task_.in_chunks(expression)) return nullptr;
    return task_.direct->place(expression, box, task_.plan.order());
  }
  /// Reads the inputs of a tile, and evaluates what the thread evaluates. `place`: number of the
  /// first element.
  void read(const plan::Box& box, std::int64_t place, MapLane& lane) const {
    if (box.elements() == 0) return;
    const auto visit_all = [&](const auto& piece_or_box) {
      std::vector<MappedSource::Visit> visits;
      for (const DeviceExpressions& some : lane.on_device) {
        visits.push_back(some.reader->copier(piece_or_box, place));
      }
      if (lane.evaluator) visits.push_back(evaluate_to(box, place, lane));
      return [visits = std::move(visits)](std::span<const std::byte* const> inputs,
                                          const expression::Region& region, std::size_t count) {
        for (const MappedSource::Visit& visit : visits) visit(inputs, region, count);
      };
    };
    const plan::StorageOrder order = task_.plan.order();
    if (const auto piece = source_.pieces().piece_of(box, order)) {
      return source_.visit_piece(*piece, lane.requested, visit_all(*piece));
    }
    const bool in_order = order == plan::StorageOrder::first_dimension_fastest;
    source_.visit_box(box, in_order, lane.requested, visit_all(box));
  }
  /// Writes the elements from `place` on, or puts them into the message.
  void put(const plan::Box& box, std::int64_t place, MapLane& lane, MapHead& head,
           base::ByteWriter& message) const {
    for (std::size_t i = 0; i < lane.expressions.size(); ++i) {
      LaneExpression& mine = lane.expressions[i];
      const statistics::AnswerType& result = task_.results[i];
      const std::span<std::byte> elements = elements_of(i, box, place, lane);
      const statistics::SpecialCounts found = count_specials(elements, result.type);
      if (found.nans > 0) expression::make_nans_equal(expression::type_of(result.type), elements);
      head.specials += found;
      const ArrayPlace in = task_.place_of(i);
      if (task_.in_chunks(i)) {
        put_chunk(mine.encoder.encode(pad(i, box, elements, lane)), message);
      } else if (task_.direct != nullptr) {
        if (in_sink(i, box, lane) == nullptr)
          task_.direct->write(i, box, task_.plan.order(), elements);
      } else if (head.written) {
        head.checksum = task_.placed[in.file]->write(in.number, box, task_.plan.order(), elements,
                                                     head.checksum);
      } else {
        message.put_bytes(elements);
      }
    }
  }
  /// Lets the disk begin with an item, so that the sync at the end waits for less.
  void start_sync(const plan::AxisItems::Item& range, std::int64_t elements) const {
    const plan::Box first = task_.plan.tile(range.first_tile);
    const plan::Box last = task_.plan.tile(range.end_tile - 1);
    for (std::size_t i = 0; i < task_.arrays.size(); ++i) {
      if (task_.in_chunks(i)) continue;
      const ArrayPlace in = task_.place_of(i);
      task_.placed[in.file]->start_sync(in.number, first, last, elements);
    }
  }
  /// The elements of a whole chunk, with zeros beyond the array.
  std::span<const std::byte> pad(std::size_t array, const plan::Box& box,
                                 std::span<const std::byte> elements, MapLane& lane) const {
    const plan::Shape& chunk = task_.arrays[array].chunk;
    if (box.extent == chunk) return elements;
    const std::size_t bytes = task_.results[array].bytes_each();
    const auto padded =
        lane.padded.take(static_cast<std::size_t>(plan::element_count(chunk)) * bytes);
    std::ranges::fill(padded, std::byte{0});
    const plan::BoxRows rows(chunk, {plan::Shape(chunk.size()), box.extent});
    const std::size_t row_bytes = static_cast<std::size_t>(rows.row()) * bytes;
    for (std::int64_t group = 0; group < rows.groups(); ++group) {
      for (std::int64_t row = 0; row < rows.rows(); ++row) {
        const auto first = static_cast<std::size_t>(rows.first(group) + row * rows.stride());
        std::ranges::copy(elements.first(row_bytes), padded.subspan(first * bytes).begin());
        elements = elements.subspan(row_bytes);
      }
    }
    return padded;
  }

  const AxisReduction& task_;
  const MappedSource& source_;
  std::vector<MapLane> lanes_;
};

}  // namespace

std::unique_ptr<ItemWork> open_map_work(const AxisReduction& task, binding::RankDevices& devices) {
  return std::make_unique<MapWork>(task, devices);
}

}  // namespace tessera::reduce
