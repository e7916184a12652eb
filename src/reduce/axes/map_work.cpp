#include "reduce/axes/map_work.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "expression/evaluator.hpp"
#include "expression/type.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/open_lanes.hpp"

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

statistics::SpecialCounts count_specials(std::span<const std::byte> elements,
                                         base::ElementType type) {
  if (type == base::ElementType::f64)
    return count_bits<std::uint64_t>(elements, 0x7ff0000000000000);
  if (type == base::ElementType::f32) return count_bits<std::uint32_t>(elements, 0x7f800000);
  if (type == base::ElementType::f16) return count_bits<std::uint16_t>(elements, 0x7c00);
  return {};
}

/// The expressions behind the first one.
void open_others(AxisReduction& task, std::int64_t piece_elements) {
  const job::ReduceJob& job = *task.job;
  for (std::size_t i = 1; i < job.mapped.size(); ++i) {
    const auto bytes_of = [](const store::ArraySource& source) {
      return static_cast<std::int64_t>(base::element_bytes(source.info().type));
    };
    std::shared_ptr<const store::ArraySource> source = open_mapped(job, i, piece_bytes(job));
    const store::ArrayInfo& array = source->info();
    if (array.shape != task.source->info().shape) {
      throw base::usage_error("map {}: is {}, and {} is {}", job.mapped[i].name,
                              job::format_shape(array.shape), job.mapped.front().name,
                              job::format_shape(task.source->info().shape));
    }
    source = open_mapped(job, i, piece_elements * bytes_of(*source));
    task.others.push_back(std::move(source));
  }
}

const store::ArraySource& source_of(const AxisReduction& task, std::size_t array) {
  return array == 0 ? *task.source : *task.others[array - 1];
}

void read_tile(const store::ArraySource& source, const plan::Box& box, plan::StorageOrder order,
               std::span<std::byte> elements) {
  if (const auto piece = source.pieces().piece_of(box, order)) return source.read(*piece, elements);
  if (order == source.order()) return source.read_box_in_order(box, elements);
  source.read_box(box, elements);
}

/// Bytes of the elements, of the message that has them, and of what reading takes.
std::uint64_t lane_bytes(const AxisReduction& task) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < task.results.size(); ++i) {
    bytes += PieceReader::memory_bytes(source_of(task, i));
  }
  const auto tile = static_cast<std::uint64_t>(task.plan.most_outputs()) * task.answer_bytes();
  const std::uint64_t ratio =
      std::max<std::uint64_t>(1, task.answer_bytes() / task.results.front().bytes_each());
  return bytes + 3 * std::max(tile, task.job->slice_bytes * ratio);
}

std::vector<MapLane> open_map_lanes(const AxisReduction& task,
                                    const binding::RankDevices& devices) {
  LaneBudget budget(task.job->memory_bytes);
  std::vector<MapLane> lanes;
  binding::open_in_rounds(devices.count(), [&](int device, int round) {
    if (round >= devices[device].lanes() || !budget.take(lane_bytes(task))) return false;
    lanes.push_back({.device = device});
    return true;
  });
  if (!lanes.empty()) return lanes;
  const auto [given, needed] = budget.given_and_needed();
  throw base::usage_error("--memory {}: one thread needs {}; give at least that", given, needed);
}

}  // namespace

AxisReduction describe_map(const store::ArraySource& first, const job::ReduceJob& job) {
  AxisReduction task{.source = &first, .job = &job};
  const job::Shape& shape = first.info().shape;
  const std::vector<bool> kept(shape.size());
  plan::Shape grain = first.chunk_shape();
  const plan::Shape rows = grain.empty() ? plan::Shape() : first.pieces().part_rows();
  if (grain.empty()) {
    const std::int64_t elements =
        piece_bytes(job) / static_cast<std::int64_t>(base::element_bytes(first.info().type));
    grain = plan::piece_of_axes(shape, kept, first.order(), elements, elements);
  }
  task.plan = plan::AxisPlan(shape, kept, grain, first.order(), rows);
  open_others(task, std::max<std::int64_t>(1, task.plan.most_outputs()));
  for (std::size_t i = 0; i < job.mapped.size(); ++i) {
    const store::ArraySource& source = source_of(task, i);
    task.results.push_back({.type = source.info().type});
    task.arrays.push_back({.name = job.mapped[i].name,
                           .type = source.info().type,
                           .is_boolean = source.info().is_boolean,
                           .shape = shape});
  }
  return task;
}

MapWork::MapWork(const AxisReduction& task, binding::RankDevices& devices)
    : ItemWork(devices), task_(task), lanes_(open_map_lanes(task, devices)) {
  set_lanes(lanes_);
}

std::optional<base::Bytes> MapWork::reduce(std::int64_t item, int lane) {
  const base::Stopwatch reading(lanes_[static_cast<std::size_t>(lane)].read_s);
  const plan::AxisItems::Item range = task_.items.item(item);
  std::int64_t outputs = 0;
  for (std::int64_t tile = range.first_tile; tile < range.end_tile; ++tile) {
    outputs += task_.plan.tile(tile).elements();
  }
  // The elements are evaluated into the message, behind its head.
  statistics::SpecialCounts specials;
  constexpr std::size_t kHead = sizeof(outputs) + sizeof(specials);
  base::Bytes message(kHead + static_cast<std::size_t>(outputs) * task_.answer_bytes());
  std::span<std::byte> rest = std::span(message).subspan(kHead);
  for (std::int64_t tile = range.first_tile; tile < range.end_tile; ++tile) {
    if (grace_.over_after_stop_request()) return std::nullopt;
    const plan::Box box = task_.plan.tile(tile);
    for (std::size_t i = 0; i < task_.results.size(); ++i) {
      const base::ElementType type = task_.results[i].type;
      const auto elements =
          rest.first(static_cast<std::size_t>(box.elements()) * task_.results[i].bytes_each());
      rest = rest.subspan(elements.size());
      read_tile(source_of(task_, i), box, task_.plan.order(), elements);
      const statistics::SpecialCounts found = count_specials(elements, type);
      if (found.nans > 0) expression::make_nans_equal(expression::type_of(type), elements);
      specials += found;
    }
  }
  std::ranges::copy(base::ByteWriter().put(outputs).put(specials).take(), message.begin());
  return message;
}

}  // namespace tessera::reduce
