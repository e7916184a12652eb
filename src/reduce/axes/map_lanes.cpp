#include "reduce/axes/map_lanes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "reduce/axes/map_plan.hpp"
#include "reduce/open_lanes.hpp"

namespace tessera::reduce {
namespace {

/// Memory of an array begins at a multiple of this (base::PageBuffer says why).
constexpr std::uint64_t kPageBytes = 4096;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

class MapLaneOpener {
 public:
  explicit MapLaneOpener(const AxisReduction& task)
      : task_(task), source_(mapped_source(task)), budget_(task.job->memory_bytes) {}

  std::vector<MapLane> open(const binding::RankDevices& devices) {
    binding::open_in_rounds(devices.count(), [&](int device, int round) {
      if (devices.failed(device)) {
        lanes_.push_back({.device = device});
        return false;
      }
      if (round >= devices[device].lanes()) return false;
      MapLane lane{.device = device};
      if (!open_mapper(devices[device], round > 0, lane) || !equip(lane)) return false;
      lanes_.push_back(std::move(lane));
      return true;
    });
    if (!lanes_.empty()) return std::move(lanes_);
    const auto [given, needed] = budget_.given_and_needed();
    throw base::usage_error("--memory {}: one thread needs {}; give at least that", given, needed);
  }

 private:
  /// False if the device lacks memory for one more.
  static bool open_mapper(const device::Device& device, bool one_more, MapLane& lane) {
    try {
      lane.mapper = device.open_mapper();
      return true;
    } catch (const device::DeviceError& error) {
      if (one_more) return false;
      throw device::DeviceError(fmt::format("{}: {}", device.info().name, error.what()));
    }
  }

  /// Bytes of the elements of one tile, over all arrays.
  std::uint64_t tile_bytes() const {
    return static_cast<std::uint64_t>(task_.plan.max_outputs()) * task_.answer_bytes();
  }

  /// Bytes of the message with the elements, and of what reading and encoding take.
  std::uint64_t working_bytes() const {
    std::uint64_t bytes = PieceReader::memory_bytes(source_);
    for (const store::WrittenArray& array : task_.arrays) {
      if (array.chunk.empty()) continue;
      const auto chunk =
          static_cast<std::uint64_t>(task_.plan.max_outputs()) * base::element_bytes(array.type);
      bytes += codec::ChunkEncoder::memory_bytes(chunk, array.compress);
    }
    const std::uint64_t ratio =
        std::max<std::uint64_t>(1, task_.answer_bytes() / task_.results.front().bytes_each());
    const auto together = static_cast<std::uint64_t>(task_.tiles_together) * tile_bytes();
    return bytes + 2 * std::max(together, task_.job->slice_bytes * ratio);
  }

  /// Gives memory to the lane; false if there is none.
  bool equip(MapLane& lane) {
    if (lane.mapper) {
      const std::uint64_t batch =
          std::min<std::uint64_t>(lane.mapper->batch_bytes(), task_.job->slice_bytes);
      lane.tiles_at_once = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(batch / std::max<std::uint64_t>(1, tile_bytes())));
    }
    const std::int64_t elements = lane.tiles_at_once * task_.plan.max_outputs();
    for (const store::WrittenArray& array : task_.arrays) {
      lane.expressions.push_back({.encoder = {array.type, array.compress}});
    }
    open_readers(lane);
    if (!lane.evaluated.empty()) use_inputs(source_.used_inputs(), lane);
    if (!lane.evaluated.empty()) lane.evaluator = source_.make_evaluator(lane.evaluated);
    if (!budget_.take(working_bytes() + memory_bytes(lane, elements))) return false;
    const std::size_t bytes = memory_bytes(lane, elements) + kPageBytes;
    if (lane.mapper) {
      lane.batch = lane.mapper->make_host_buffer(bytes);
    } else {
      lane.batch = std::make_unique<PageMemory>(bytes);
    }
    divide(lane, elements);
    return true;
  }

  static void use_inputs(const std::vector<bool>& reads, MapLane& lane) {
    lane.requested.resize(std::max(lane.requested.size(), reads.size()));
    for (std::size_t i = 0; i < reads.size(); ++i)
      lane.requested[i] = lane.requested[i] || reads[i];
  }

  static void add_reader(std::unique_ptr<MappedReader> reader, std::vector<std::size_t> numbers,
                         MapLane& lane) {
    use_inputs(reader->requested(), lane);
    lane.on_device.push_back({std::move(reader), std::move(numbers)});
  }

  void open_readers(MapLane& lane) const {
    std::vector<std::size_t> all(task_.arrays.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (lane.mapper) {
      if (auto joined = MappedReader::open_joined(source_, *lane.mapper)) {
        return add_reader(std::move(joined), std::move(all), lane);
      }
    }
    for (const std::size_t number : all) {
      auto one = lane.mapper ? MappedReader::open(source_, *lane.mapper, false, number) : nullptr;
      if (one) {
        add_reader(std::move(one), {number}, lane);
      } else {
        lane.evaluated.push_back(number);
      }
    }
  }

  std::size_t result_bytes(std::size_t array, std::int64_t elements) const {
    return static_cast<std::size_t>(elements) * task_.results[array].bytes_each();
  }

  /// Bytes of the inputs that are read for the device, and of all results.
  std::size_t memory_bytes(const MapLane& lane, std::int64_t elements) const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < lane.expressions.size(); ++i) {
      bytes += whole_pages(result_bytes(i, elements));
    }
    for (const DeviceExpressions& some : lane.on_device) {
      bytes += whole_pages(some.reader->bytes_for(elements));
    }
    return bytes;
  }

  void divide(MapLane& lane, std::int64_t elements) const {
    std::span<std::byte> rest = lane.batch->bytes();
    const auto take = [&rest](std::size_t bytes) {
      const std::span<std::byte> taken = rest.first(bytes);
      rest = rest.subspan(whole_pages(bytes));
      return taken;
    };
    for (std::size_t i = 0; i < lane.expressions.size(); ++i) {
      lane.expressions[i].elements = take(result_bytes(i, elements));
    }
    for (const DeviceExpressions& some : lane.on_device) {
      some.reader->use(take(some.reader->bytes_for(elements)));
    }
  }

  /// Memory of the host that begins at a page.
  class PageMemory : public device::HostBuffer {
   public:
    explicit PageMemory(std::size_t bytes) : bytes_(memory_.take(bytes)) {}
    std::span<std::byte> bytes() override { return bytes_; }

   private:
    base::PageBuffer memory_;
    std::span<std::byte> bytes_;
  };

  const AxisReduction& task_;
  const MappedSource& source_;
  LaneBudget budget_;
  std::vector<MapLane> lanes_;
};

}  // namespace

std::vector<MapLane> open_map_lanes(const AxisReduction& task,
                                    const binding::RankDevices& devices) {
  return MapLaneOpener(task).open(devices);
}

}  // namespace tessera::reduce
