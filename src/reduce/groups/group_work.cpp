#include "reduce/groups/group_work.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "job/memory.hpp"
#include "reduce/open_lanes.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::reduce {
namespace {

/// Whatever --memory says: with fewer groups, almost all time goes into storing them.
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
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;  // two such lists are numbered together
  return std::clamp<std::uint64_t>(group_bytes(lanes) / 2 / (kCopies * each), 1, kMost);
}

std::size_t GroupTask::most_members(int lanes) const {
  constexpr std::uint64_t kMemberCopies = 2;  // they are sorted
  return group_bytes(lanes) / 2 / (kMemberCopies * sizeof(statistics::GroupMember));
}

LaneRoom GroupTask::lane_room(int lanes) const {
  LaneRoom room{.each = kCopies * statistics::GroupPartials::bytes_each(group_spec.spec)};
  const std::uint64_t bytes = group_bytes(lanes) / 2 / static_cast<std::uint64_t>(lanes);
  room.waiting = bytes / 4;
  room.bytes = bytes - room.waiting;
  return room;
}

GroupRoom GroupTask::room(int lanes) const {
  constexpr std::uint64_t kRunBlocks = 1024;
  const std::uint64_t bytes = group_bytes(lanes);
  const LaneRoom lane = lane_room(lanes);
  const std::size_t groups = most_groups(lanes);
  // Groups and elements are merged at a time, when nothing else is in memory.
  return {.groups = groups,
          .members = most_members(lanes),
          .merge_bytes = bytes / 2,
          .block_bytes = static_cast<std::size_t>(bytes / kRunBlocks),
          .pass = {.groups = std::min<std::size_t>(groups, lane.bytes / (lane.each + kHashBytes)),
                   .keys = std::min<std::size_t>(groups, lane.bytes / lane.each),
                   .elements = plan::element_count(source->info().shape)}};
}

device::GroupScope GroupTask::scope(const KeyRange& wanted, int lanes,
                                    std::int64_t elements) const {
  device::GroupScope scope{.first = wanted.first, .last = wanted.last};
  const auto [each, bytes, waiting] = lane_room(lanes);
  scope.most_waiting = static_cast<std::size_t>(waiting / kWaitingBytes);
  const std::uint64_t most_dense = bytes / each;
  const KeyRange dense = keys->is_range_known() ? keys->range() : likely;
  const std::uint64_t from = std::max(wanted.first, dense.first);
  const std::uint64_t to = std::min(wanted.last, dense.last);
  const std::uint64_t useful =
      std::min(most_dense, kDenseKeys * static_cast<std::uint64_t>(elements) + kLeastDense);
  const bool some = from <= to && to - from < useful;
  if (some) {
    scope.dense_first = from;
    scope.dense_count = static_cast<std::size_t>(to - from + 1);
  }
  const std::uint64_t others = (bytes - scope.dense_count * each) / (each + kHashBytes);
  scope.most_groups = static_cast<std::size_t>(scope.dense_count + std::max(kLeastOthers, others));
  return scope;
}

GroupWork::GroupWork(const GroupTask& task, binding::RankDevices& devices)
    : ItemWork(devices),
      task_(task),
      order_needs_places_(
          statistics::OrderPasses(*task.job, task.group_spec.spec.type, 0, 0).top() > 0),
      lanes_(open_group_lanes(task, devices)) {
  set_lanes(lanes_);
}

void GroupWork::begin_item(const PieceRange& range, GroupLane& lane, GroupResult& result) {
  std::int64_t elements = 0;
  for (std::int64_t piece = range.first; piece < range.end; ++piece) {
    elements += task_.source->pieces().elements(piece);
  }
  if (!request_.any()) {
    lane.scope = task_.scope(wanted_, std::max(1, live_lanes()), elements);
    return lane.reducer->begin(lane.scope);
  }
  lane.searches = lane.reducer->begin_tally(request_);
  result.tally = statistics::GroupTally(request_);
  // A vector that grows touches twice the memory.
  if (request_.first <= request_.last) {
    const std::size_t most = task_.most_members(lanes());
    result.tally.collected.reserve(std::min(static_cast<std::size_t>(elements), most));
  }
}

std::optional<base::Bytes> GroupWork::reduce(std::int64_t item, int lane) {
  GroupLane& mine = lanes_[static_cast<std::size_t>(lane)];
  const PieceRange range = items_[static_cast<std::size_t>(item)];
  GroupResult result{.end = range.first};
  std::int64_t elements = 0;
  mine.searches = false;
  begin_item(range, mine, result);
  auto last = base::Clock::now();
  // Runs are for a message, so there is no room for others.
  while (result.end < range.end && result.runs.empty() && !has_bad_key_) {
    if (grace_.over_after_stop_request()) return std::nullopt;
    mine.reader->read(result.end, range.end,
                      [&](const auto& some, const auto& keys, const auto& at) {
                        mine.read_s += base::seconds_between(last, base::Clock::now());
                        add(some, keys, at, mine, result);
                        last = base::Clock::now();
                      });
    elements += task_.source->pieces().elements(result.end++);
  }
  mine.reader->release();
  if (!request_.any()) result.runs.push_back(mine.reducer->finish());
  if (mine.searches) mine.reducer->end_tally(result.tally);
  base::ByteWriter body;
  std::size_t bytes = 0;
  for (const auto& run : result.runs) bytes += run.written_bytes();
  body.reserve(bytes);
  return body.put(elements).put(result).take();
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
      count_groups(some, lane, result);
    }
  }
}

void GroupWork::count_groups(std::span<const std::byte> elements, GroupLane& lane,
                             GroupResult& result) {
  const std::size_t bytes = base::element_bytes(task_.group_spec.spec.type);
  std::span<const statistics::GroupKey> keys = lane.keys;
  std::span<const std::int64_t> places = lane.places;
  while (true) {
    const std::size_t added = lane.reducer->add(keys, elements, places);
    if (added == keys.size()) return;
    keys = keys.subspan(added);
    elements = elements.subspan(added * bytes);
    if (!places.empty()) places = places.subspan(added);
    result.runs.push_back(lane.reducer->finish());
    lane.reducer->begin(lane.scope);
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
