#include "reduce/groups/group_work.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "job/memory.hpp"
#include "reduce/open_lanes.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::reduce {
namespace {

/// Slices of an item. The fewer the items, the fewer partial results of a group are merged.
constexpr std::int64_t kMostItemSlices = 32;
/// The size of a message with collected elements. The C library reuses freed memory up to 32 MiB.
constexpr std::int64_t kMessageBytes = std::int64_t{8} << 20;
/// Whatever --memory says: a pass over the array for fewer groups is hardly worth it.
constexpr std::uint64_t kLeastGroupBytes = std::uint64_t{16} << 20;
/// A reducer holds groups, sorts them into copies, and the message has them once more.
constexpr std::uint64_t kCopies = 3;
/// Keys that are converted at a time, in the first-level cache.
constexpr std::size_t kKeyBlock = 2048;
/// A dense range of keys may have this many keys for each element.
constexpr std::uint64_t kDenseKeys = 4;
constexpr std::uint64_t kLeastDense = std::uint64_t{1} << 16;
/// An element that waits: its group, itself and its place, in vectors that have grown.
constexpr std::uint64_t kWaitingBytes = 32;
/// Groups outside of the dense range, however small the memory is.
constexpr std::uint64_t kLeastOthers = 1024;
/// Of a hash table.
constexpr std::uint64_t kHashBytes = 72;

std::uint64_t reader_bytes(const GroupTask& task) {
  return GroupReader::memory_bytes(*task.source, *task.keys);
}

std::vector<GroupLane> open_group_lanes(const GroupTask& task,
                                        const binding::RankDevices& devices) {
  const std::uint64_t least = job::kProgramBytes + reader_bytes(task) + kLeastGroupBytes;
  LaneBudget budget(std::max(task.job->memory_bytes, least));
  const auto equip = [&](GroupLane& lane) {
    if (!budget.take(reader_bytes(task) + kLeastGroupBytes / 2)) return false;
    lane.reader = std::make_unique<GroupReader>(*task.source, *task.keys);
    return true;
  };
  return open_lanes<GroupLane>(
      devices, "does not reduce groups",
      [&](const device::Device& device) { return device.open_group_reducer(task.group_spec); },
      equip);
}

}  // namespace

std::uint64_t GroupTask::group_bytes(int lanes) const {
  const std::uint64_t used =
      job::kProgramBytes + static_cast<std::uint64_t>(lanes) * reader_bytes(*this);
  return std::max(kLeastGroupBytes, job->memory_bytes - std::min(job->memory_bytes, used));
}

std::size_t GroupTask::most_groups(int lanes) const {
  const std::uint64_t each = statistics::GroupPartials::bytes_each(group_spec.spec);
  return std::max<std::size_t>(1, group_bytes(lanes) / 2 / (kCopies * each));
}

device::GroupScope GroupTask::scope(statistics::GroupKey first, int lanes,
                                    std::int64_t elements) const {
  const KeyRange range = keys->range();
  device::GroupScope scope{.first = first, .last = range.last};
  const std::uint64_t each = kCopies * statistics::GroupPartials::bytes_each(group_spec.spec);
  const std::uint64_t all_bytes = group_bytes(lanes) / 2 / static_cast<std::uint64_t>(lanes);
  const std::uint64_t waiting = all_bytes / 4;
  const std::uint64_t bytes = all_bytes - waiting;
  scope.most_waiting = static_cast<std::size_t>(waiting / kWaitingBytes);
  const std::uint64_t most_dense = bytes / each;
  const KeyRange dense = keys->is_range_known() ? range : likely;
  const std::uint64_t from = std::max(first, dense.first);
  const std::uint64_t useful =
      std::min(most_dense, kDenseKeys * static_cast<std::uint64_t>(elements) + kLeastDense);
  const bool some = from <= dense.last && dense.last - from < useful;
  if (some) {
    scope.dense_first = from;
    scope.dense_count = static_cast<std::size_t>(dense.last - from + 1);
  }
  const std::uint64_t others = (bytes - scope.dense_count * each) / (each + kHashBytes);
  scope.most_groups = static_cast<std::size_t>(scope.dense_count + std::max(kLeastOthers, others));
  return scope;
}

SliceGrid group_items(const store::ArraySource& source, const job::ReduceJob& job,
                      std::int64_t lanes) {
  const plan::ArrayPieces& pieces = source.pieces();
  const std::int64_t piece_bytes = std::max<std::int64_t>(
      1,
      pieces.most_elements() * static_cast<std::int64_t>(base::element_bytes(source.info().type)));
  const std::int64_t most = std::max<std::int64_t>(
      1, kMostItemSlices * static_cast<std::int64_t>(job.slice_bytes) / piece_bytes);
  const std::int64_t even = (pieces.count() + lanes - 1) / std::max<std::int64_t>(1, lanes);
  return {.pieces = pieces.count(), .pieces_per_slice = std::clamp<std::int64_t>(even, 1, most)};
}

SliceGrid collecting_items(const store::ArraySource& source, const SliceGrid& most) {
  constexpr std::int64_t kElements = kMessageBytes / sizeof(statistics::GroupMember);
  const std::int64_t pieces =
      kElements / std::max<std::int64_t>(1, source.pieces().most_elements());
  return {.pieces = most.pieces,
          .pieces_per_slice = std::clamp<std::int64_t>(pieces, 1, most.pieces_per_slice)};
}

GroupWork::GroupWork(const GroupTask& task, binding::RankDevices& devices)
    : ItemWork(devices),
      task_(task),
      order_needs_places_(
          statistics::OrderPasses(*task.job, task.group_spec.spec.type, 0, 0).top() > 0),
      lanes_(open_group_lanes(task, devices)) {
  set_lanes(lanes_);
}

struct GroupWork::Range {
  std::int64_t first;
  std::int64_t end;
  std::int64_t elements;
};

GroupWork::Range GroupWork::range_of(std::int64_t item) const {
  const std::int64_t first = grid_.first(item);
  Range range{first, std::min(grid_.first(item + 1), grid_.pieces), 0};
  for (std::int64_t piece = first; piece < range.end; ++piece) {
    range.elements += task_.source->pieces().elements(piece);
  }
  return range;
}

std::optional<base::Bytes> GroupWork::reduce(std::int64_t item, int lane) {
  GroupLane& mine = lanes_[static_cast<std::size_t>(lane)];
  const Range range = range_of(item);
  GroupResult result;
  mine.searches = request_.any() && mine.reducer->begin_tally(request_);
  if (request_.any()) {
    result.tally = statistics::GroupTally(request_);
    // A vector that grows touches twice the memory.
    if (request_.first <= request_.last) {
      const std::uint64_t most = task_.order_bytes(lanes()) / static_cast<std::uint64_t>(lanes()) /
                                 sizeof(statistics::GroupMember);
      result.tally.collected.reserve(
          static_cast<std::size_t>(std::min<std::uint64_t>(range.elements, most)));
    }
  } else {
    mine.reducer->begin(task_.scope(first_, std::max(1, live_lanes()), range.elements));
  }
  auto last = base::Clock::now();
  for (std::int64_t piece = range.first; piece < range.end && !has_bad_key_; ++piece) {
    if (grace_.over_after_stop_request()) return std::nullopt;
    mine.reader->read(piece, range.end,
                      [&](const auto& elements, const auto& keys, const auto& at) {
                        mine.read_s += base::seconds_between(last, base::Clock::now());
                        add(elements, keys, at, mine, result);
                        last = base::Clock::now();
                      });
  }
  mine.reader->release();
  if (!request_.any()) result.partials = mine.reducer->finish();
  if (mine.searches) mine.reducer->end_tally(result.tally);
  base::ByteWriter body;
  body.reserve(result.partials.written_bytes());
  return body.put(range.elements).put(result).take();
}

void GroupWork::add(std::span<const std::byte> elements,
                    std::span<const std::span<const std::byte>> keys,
                    const statistics::Indexing& indexing, GroupLane& lane, GroupResult& result) {
  const base::ElementType type = task_.group_spec.spec.type;
  const std::size_t bytes = base::element_bytes(type);
  const std::size_t all = elements.size() / bytes;
  const std::size_t most = request_.any() ? std::max<std::size_t>(1, all) : kKeyBlock;
  for (std::size_t first = 0; first < all; first += most) {
    const std::size_t count = std::min(most, all - first);
    const auto some = elements.subspan(first * bytes, count * bytes);
    encode(keys, first, count, indexing, lane, result);
    if (lane.searches) {
      lane.reducer->tally(lane.keys, some, lane.places, result.tally);
    } else if (request_.any()) {
      result.tally.add(lane.keys, some, type, lane.places, request_);
    } else {
      lane.reducer->add(lane.keys, some, lane.places);
    }
  }
}

void GroupWork::encode(std::span<const std::span<const std::byte>> keys, std::size_t first,
                       std::size_t count, const statistics::Indexing& indexing, GroupLane& lane,
                       GroupResult& result) {
  const auto place_of = [&](std::size_t i) {
    return indexing.of(static_cast<std::int64_t>(first + i));
  };
  lane.keys.resize(count);
  if (const auto bad = task_.keys->encode(keys, first, lane.keys, result.left_out)) {
    has_bad_key_ = true;
    if (result.bad_place == GroupResult::kNoPlace) result.bad_place = place_of(*bad);
  }
  const bool needed = request_.any() ? order_needs_places_ : task_.group_spec.spec.places;
  if (!needed) return lane.places.assign(request_.any() ? count : 0, 0);
  lane.places.resize(count);
  for (std::size_t i = 0; i < count; ++i) lane.places[i] = place_of(i);
}

}  // namespace tessera::reduce
