#include "reduce/reducer_lanes.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/powers/power_reducers.hpp"
#include "reduce/open_lanes.hpp"
#include "reduce/passes.hpp"

namespace tessera::reduce {
namespace {

constexpr std::string_view kRefusal = "does not reduce arrays in that way";

bool makes(const ReduceLane& lane, const store::ArraySource& array) {
  return array.generated() != nullptr && lane.reducer->generates(*array.generated());
}

/// Whether the lane's device generates all elements itself; then it does.
bool let_make_all(ReduceLane& lane, const store::ArraySource& source,
                  const store::ArraySource* with) {
  if (!makes(lane, source) || (with != nullptr && !makes(lane, *with))) return false;
  lane.generated = source.generated();
  if (with != nullptr) lane.with_generated = *with->generated();
  return true;
}

struct LaneOpener {
  const binding::RankDevices& devices;
  const statistics::ReductionSpec& spec;
  const store::ArraySource& source;
  const store::ArraySource* with;
  const job::ReduceJob& job;
  LaneBudget budget{job.memory_bytes, order_bytes(job)};
  std::vector<ReduceLane> lanes{};

  std::vector<ReduceLane> open() {
    lanes = open_lanes<ReduceLane>(
        devices, kRefusal,
        [this](const device::Device& device) { return device::open_reducer(device, spec); },
        [this](ReduceLane& lane) { return equip(lane); });
    if (lanes.empty()) refuse();
    open_readers();
    return std::move(lanes);
  }

  /// False if there is no memory for the lane.
  bool equip(ReduceLane& lane) { return let_make_all(lane, source, with) || give_memory(lane); }

  bool give_memory(ReduceLane& lane) {
    auto mapped = MappedReader::open(source, *lane.reducer, source.pieces().is_consecutive());
    const std::uint64_t batch = batch_bytes_of(*lane.reducer, mapped.get());
    const std::uint64_t with_batch =
        with == nullptr ? 0 : batch / bytes_of(source) * bytes_of(*with);
    std::uint64_t needed =
        PieceReader::memory_bytes(source) + batch + with_batch + order_lane_bytes(job, source);
    if (with != nullptr) needed += AlignedReader::memory_bytes(source, {with});
    if (!budget.take(needed)) return false;
    if (batch > 0) {
      lane.batches = std::make_unique<BatchReader>(
          source, lane.reducer->make_host_buffer(batch), std::move(mapped),
          static_cast<std::int64_t>(batch / bytes_of(source)));
    }
    if (with_batch > 0) {
      lane.with_batches =
          std::make_unique<BatchReader>(*with, lane.reducer->make_host_buffer(with_batch));
    }
    return true;
  }

  static std::uint64_t bytes_of(const store::ArraySource& array) {
    return base::element_bytes(array.info().type);
  }

  /// The memory that is left is divided among the lanes for memory-mapped views of the file.
  void open_readers() {
    const auto reads = [](const ReduceLane& lane) {
      return lane.reducer && lane.generated == nullptr && !lane.batches;
    };
    const auto reading = static_cast<std::uint64_t>(std::ranges::count_if(lanes, reads));
    for (ReduceLane& lane : lanes) {
      if (!reads(lane)) continue;
      lane.reader = std::make_unique<PieceReader>(
          source, std::min<std::uint64_t>(PieceReader::kViewBytes, budget.left_bytes() / reading));
      const store::ArrayInfo& x = source.info();
      if (x.missing) lane.present.emplace(x.type, *x.missing);
      if (with == nullptr) continue;
      lane.pairs = std::make_unique<AlignedReader>(source, AlignedReader::Others{with});
      const store::ArrayInfo& y = with->info();
      if (x.missing || y.missing) {
        lane.present_pairs.emplace(PresentPairs::Array{x.type, x.missing},
                                   PresentPairs::Array{y.type, y.missing});
      }
    }
  }

  /// 0 for two arrays that are cut into different pieces: those are read box by box. And for pairs
  /// of which one element may be missing.
  std::uint64_t batch_bytes_of(const device::Reducer& reducer, const MappedReader* mapped) const {
    if (with != nullptr &&
        (!(source.pieces() == with->pieces()) || source.info().missing || with->info().missing)) {
      return 0;
    }
    const std::int64_t elements = source.pieces().max_elements();
    std::uint64_t piece = static_cast<std::uint64_t>(elements) * base::element_bytes(spec.type);
    if (mapped != nullptr) piece = std::max(piece, mapped->bytes_for(elements));
    return batch_bytes(reducer.batch_bytes(), piece, job.slice_bytes);
  }

  std::uint64_t order_share(const job::ReduceJob& of) const {
    return order_bytes(of) + order_lane_bytes(of, source);
  }

  /// Order statistics take more of a larger --memory.
  std::uint64_t least_memory() const {
    const std::uint64_t others = budget.needed_bytes() - order_share(job);
    job::ReduceJob larger = job;
    larger.memory_bytes = budget.needed_bytes();
    for (;;) {
      const std::uint64_t needed = others + order_share(larger);
      if (needed <= larger.memory_bytes) break;
      larger.memory_bytes = needed;
    }
    constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
    return (larger.memory_bytes + kMebibyte - 1) / kMebibyte * kMebibyte;
  }

  [[noreturn]] void refuse() const {
    const auto [given, needed] = budget.given_and_needed(least_memory());
    throw base::usage_error(
        "--memory {}: {} at a time on one thread needs {}; give at least that, or a smaller "
        "--slice",
        given, base::format_bytes(static_cast<double>(budget.min_bytes())), needed);
  }
};

}  // namespace

std::vector<ReduceLane> open_reduce_lanes(const binding::RankDevices& devices,
                                          const statistics::ReductionSpec& spec,
                                          const store::ArraySource& source,
                                          const store::ArraySource* with,
                                          const job::ReduceJob& job) {
  return LaneOpener{devices, spec, source, with, job}.open();
}

int open_late_reduce_lanes(std::vector<ReduceLane>& lanes, const binding::RankDevices& devices,
                           int device, const statistics::ReductionSpec& spec,
                           const store::ArraySource& source, const store::ArraySource* with) {
  int opened = 0;
  for (ReduceLane& lane : lanes) {
    if (lane.device != device || opened == devices[device].lanes()) continue;
    lane.reducer = devices.timed_lane(device, [&] {
      return open_reducer(devices[device], opened > 0, kRefusal, [&](const device::Device& open) {
        return device::open_reducer(open, spec);
      });
    });
    if (!lane.reducer) break;
    if (!let_make_all(lane, source, with)) {
      throw device::DeviceError(devices[device].info().name + ": does not generate these arrays");
    }
    ++opened;
  }
  return opened;
}

}  // namespace tessera::reduce
