#include "reduce/groups/group_work.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "device/powers/power_reducers.hpp"
#include "job/memory.hpp"
#include "reduce/open_lanes.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::reduce {
namespace {

/// Whatever --memory says: with fewer groups, almost all time goes into storing them.
// crossed by: test_more_groups_than_memory_holds
constexpr std::uint64_t kMinGroupBytes = std::uint64_t{16} << 20;
/// A reducer holds groups, sorts them into copies, and the message has them once more.
constexpr std::uint64_t kCopies = 3;
/// Keys that are converted at a time, in the first-level cache.
// crossed by: test_many_groups
constexpr std::size_t kKeyBlock = 2048;
/// A dense range of keys may have this many keys for each element.
constexpr std::uint64_t kDenseKeys = 4;
// crossed by: test_many_groups
constexpr std::uint64_t kMinDense = std::uint64_t{1} << 16;
/// An element that waits: its group, itself and its place, in vectors that have grown.
constexpr std::uint64_t kWaitingBytes = 32;
/// Groups outside of the dense range, however small the memory is.
// not crossed: memory only
constexpr std::uint64_t kMinHashGroups = 1024;
/// With more of the elements outside of the window, accumulators take most of the memory.
// crossed by: test_memory_of_accumulators
constexpr double kMaxOutsideFraction = 1.0 / 64;
/// Of a hash table.
constexpr std::uint64_t kHashBytes = 72;

std::uint64_t reader_bytes(const GroupTask& task) {
  return PieceReader::memory_bytes(*task.source) +
         AlignedReader::memory_bytes(*task.source, task.keys->sources());
}

std::vector<GroupLane> open_group_lanes(const GroupTask& task,
                                        const binding::RankDevices& devices) {
  LaneBudget budget(std::max(task.job->memory_bytes, task.min_bytes()));
  const auto equip = [&](GroupLane& lane) {
    if (!budget.take(reader_bytes(task) + kMinGroupBytes / 2)) return false;
    lane.reader = std::make_unique<PieceReader>(*task.source);
    lane.keys_reader = std::make_unique<AlignedReader>(*task.source, task.keys->sources());
    lane.present.emplace(*task.source, *task.keys);
    if (!lane.present->needed()) lane.present.reset();
    return true;
  };
  return open_lanes<GroupLane>(
      devices, "does not reduce groups",
      [&](const device::Device& device) {
        return device::open_group_reducer(device, task.group_spec);
      },
      equip);
}

}  // namespace

std::uint64_t GroupTask::min_bytes() const {
  return job::kProgramBytes + reader_bytes(*this) + kMinGroupBytes;
}

std::uint64_t GroupTask::group_bytes(int lanes) const {
  const std::uint64_t used =
      job::kProgramBytes + static_cast<std::uint64_t>(lanes) * reader_bytes(*this);
  return std::max(kMinGroupBytes, job->memory_bytes - std::min(job->memory_bytes, used));
}

std::uint64_t GroupTask::merged_bytes(int lanes) const {
  const std::uint64_t each = statistics::GroupPartials::bytes_each(group_spec.spec);
  constexpr std::uint64_t kMax = std::uint64_t{1} << 31;  // two such lists are numbered together
  return std::min(group_bytes(lanes) / 2 / kCopies, kMax * each);
}

std::size_t GroupTask::max_members(int lanes) const {
  constexpr std::uint64_t kMemberCopies = 2;  // they are sorted
  return group_bytes(lanes) / 2 / (kMemberCopies * sizeof(statistics::GroupMember));
}

LaneLimits GroupTask::lane_limits(int lanes) const {
  LaneLimits room{.each = kCopies * statistics::GroupPartials::bytes_each(group_spec.spec)};
  const std::uint64_t bytes = group_bytes(lanes) / 2 / static_cast<std::uint64_t>(lanes);
  room.waiting = bytes / 4;
  room.bytes = bytes - room.waiting;
  room.max_dense = room.bytes / room.each / 8 * (part_outside > kMaxOutsideFraction ? 2 : 7);
  return room;
}

GroupLimits GroupTask::room(int lanes) const {
  constexpr std::uint64_t kRunBlocks = 1024;
  const std::uint64_t bytes = group_bytes(lanes);
  const LaneLimits lane = lane_limits(lanes);
  const std::uint64_t merged = merged_bytes(lanes);
  const std::uint64_t groups = merged / statistics::GroupPartials::bytes_each(group_spec.spec);
  // Groups and elements are merged at a time, when nothing else is in memory.
  return {.group_bytes = merged,
          .members = max_members(lanes),
          .merge_bytes = bytes / 2,
          .block_bytes = static_cast<std::size_t>(bytes / kRunBlocks),
          .pass = {.groups = std::min(groups, lane.bytes / (lane.each + kHashBytes)),
                   .keys = std::min(groups, lane.max_dense),
                   .elements = plan::element_count(source->info().shape),
                   .bytes_each = statistics::GroupPartials::bytes_each(group_spec.spec)}};
}

device::GroupScope GroupTask::scope(const KeyRange& requested, int lanes,
                                    std::int64_t elements) const {
  device::GroupScope scope{.first = requested.first, .last = requested.last};
  const LaneLimits room = lane_limits(lanes);
  scope.max_waiting = static_cast<std::size_t>(room.waiting / kWaitingBytes);
  const KeyRange dense = keys->is_range_known() ? keys->range() : likely;
  const std::uint64_t from = std::max(requested.first, dense.first);
  const std::uint64_t to = std::min(requested.last, dense.last);
  const std::uint64_t useful =
      std::min(room.max_dense, kDenseKeys * static_cast<std::uint64_t>(elements) + kMinDense);
  const bool some = from <= to && to - from < useful;
  if (some) {
    scope.dense_first = from;
    scope.dense_count = static_cast<std::size_t>(to - from + 1);
  }
  const std::uint64_t others =
      (room.bytes - scope.dense_count * room.each) / (room.each + kHashBytes);
  scope.max_groups = static_cast<std::size_t>(scope.dense_count + std::max(kMinHashGroups, others));
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
    lane.scope = task_.scope(requested_, std::max(1, live_lanes()), elements);
    return lane.reducer->begin(lane.scope);
  }
  lane.searches = lane.reducer->begin_tally(request_);
  result.tally = statistics::GroupTally(request_);
  // A vector that grows touches twice the memory.
  if (request_.collects()) {
    const std::size_t most = task_.max_members(lanes());
    result.tally.collected.reserve(std::min(static_cast<std::size_t>(elements), most));
  }
}

std::optional<base::Bytes> GroupWork::reduce(std::int64_t item, int lane) {
  GroupLane& mine = lanes_[static_cast<std::size_t>(lane)];
  GroupResult result{.left = items_[static_cast<std::size_t>(item)]};
  PieceRange& left = result.left;
  std::int64_t elements = 0;
  mine.searches = false;
  begin_item(left, mine, result);
  while (!left.empty() && !has_bad_key_) {
    if (grace_.over_after_stop_request()) return std::nullopt;
    const std::int64_t done = add_piece(left, mine, result);
    elements += done - left.skipped;
    left.skipped = done;
    if (done < task_.source->pieces().elements(left.first)) break;
    left = {.first = left.first + 1, .end = left.end};
  }
  mine.reader->release();
  mine.keys_reader->release();
  if (!request_.any()) result.groups = mine.reducer->finish();
  if (mine.searches) mine.reducer->end_tally(result.tally);
  base::ByteWriter body;
  body.reserve(result.groups.written_bytes());
  return body.put(elements).put(result).take();
}

std::int64_t GroupWork::add_piece(const PieceRange& range, GroupLane& lane, GroupResult& result) {
  const std::size_t bytes = base::element_bytes(task_.group_spec.spec.type);
  std::int64_t done = 0;
  auto last = base::Clock::now();
  lane.keys_reader->read(
      range.first, range.end, lane.reader->read(range.first, range.end),
      [&](const auto& elements, const auto& keys, const auto& indexing) {
        lane.read_s += base::seconds_between(last, base::Clock::now());
        const auto all = static_cast<std::int64_t>(elements.size() / bytes);
        const std::int64_t first = std::clamp<std::int64_t>(range.skipped - done, 0, all);
        const std::int64_t end = add(elements, keys, first, indexing, lane, result);
        done += end;
        last = base::Clock::now();
        return end == all;
      });
  return done;
}

std::int64_t GroupWork::add(std::span<const std::byte> elements,
                            std::span<const std::span<const std::byte>> keys,
                            std::int64_t first_element, const statistics::Indexing& indexing,
                            GroupLane& lane, GroupResult& result) {
  const std::size_t bytes = base::element_bytes(task_.group_spec.spec.type);
  const std::size_t all = elements.size() / bytes;
  const std::size_t most = request_.any() ? std::max<std::size_t>(1, all) : kKeyBlock;
  auto first = static_cast<std::size_t>(first_element);
  while (first < all) {
    const std::size_t count = std::min(most, all - first);
    if (lane.present) {
      const std::size_t added = add_present(elements, keys, first, count, indexing, lane, result);
      first += added;
      if (added < count) break;
      continue;
    }
    const auto some = elements.subspan(first * bytes, count * bytes);
    const std::size_t added = add_some(some, keys, first, indexing, lane, result);
    first += added;
    if (added < count) break;
  }
  return static_cast<std::int64_t>(first);
}

std::size_t GroupWork::add_present(std::span<const std::byte> elements,
                                   std::span<const std::span<const std::byte>> keys,
                                   std::size_t first, std::size_t count,
                                   const statistics::Indexing& indexing, GroupLane& lane,
                                   GroupResult& result) {
  PresentMembers& present = *lane.present;
  present.take(elements, keys, first, count);
  const statistics::Indexing of_present{.of = [&](std::int64_t element) {
    const std::size_t place = present.place(static_cast<std::size_t>(element));
    return indexing.of(static_cast<std::int64_t>(first + place));
  }};
  std::size_t added = present.count();
  if (added > 0) {
    added = add_some(present.elements(), present.keys(), 0, of_present, lane, result);
  }
  const std::size_t done = added < present.count() ? present.place(added) : count;
  result.left_out += present.missing(done);
  return done;
}

std::size_t GroupWork::add_some(std::span<const std::byte> some,
                                std::span<const std::span<const std::byte>> keys, std::size_t first,
                                const statistics::Indexing& indexing, GroupLane& lane,
                                GroupResult& result) {
  const base::ElementType type = task_.group_spec.spec.type;
  const std::size_t count = some.size() / base::element_bytes(type);
  const LeftOut before = result.left_out;
  std::size_t added = count;
  encode(keys, first, count, indexing, lane, result);
  if (lane.searches) {
    lane.reducer->tally(lane.keys, some, lane.places, result.tally);
  } else if (request_.any()) {
    result.tally.add(lane.keys, some, type, lane.places, request_);
  } else {
    added = lane.reducer->add(lane.keys, some, lane.places);
  }
  if (added == count) return added;
  // Keys of the others are not counted as left out.
  result.left_out = before;
  encode(keys, first, added, indexing, lane, result);
  return added;
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
