#include "reduce/axes/axis_sink.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "reduce/axes/map_work.hpp"

namespace tessera::reduce {

AxisSink::AxisSink(const AxisReduction& task, AxisTarget& target)
    : task_(task), target_(target), state_{.layouts = target.layouts()} {
  finished_.resize(static_cast<std::size_t>(task.items.count()));
  state_.checksums.resize(static_cast<std::size_t>(task.items.groups()));
}

void AxisSink::add(std::int64_t item, base::ByteReader& result) {
  if (task_.ranks_may_write) return add_mapped(item, result);
  const auto specials = result.get<statistics::SpecialCounts>();
  if (task_.items.shares() > 1) {
    merge(item, result);
  } else {
    state_.checksums[static_cast<std::size_t>(task_.items.group(item))] =
        write_item(item, result, false);
  }
  state_.specials += specials;
}

/// ItemSink has read the number of outputs.
void AxisSink::add_mapped(std::int64_t item, base::ByteReader& result) {
  MapHead head;
  result.read(head.specials);
  result.read(head.written);
  result.read(head.checksum);
  head.checksum ^= write_item(item, result, head.written);
  state_.checksums[static_cast<std::size_t>(task_.items.group(item))] = head.checksum;
  state_.specials += head.specials;
}

/// Writes what the message has: all arrays, or those in chunks if the rank has `written` the
/// others.
std::uint32_t AxisSink::write_item(std::int64_t item, base::ByteReader& result, bool written) {
  const plan::AxisItems::Item range = task_.items.item(item);
  std::uint32_t of_chunks = 0;
  std::uint32_t of_others = 0;
  for (std::int64_t tile = range.first_tile; tile < range.end_tile; ++tile) {
    const plan::Box box = task_.plan.tile(tile);
    for (std::size_t i = 0; i < task_.results.size(); ++i) {
      if (task_.in_chunks(i)) {
        const auto filter_mask = result.get<std::uint32_t>();
        const auto bytes = result.get_bytes(result.get<std::size_t>());
        of_chunks = target_.write_chunk(i, box.origin, bytes, filter_mask, of_chunks);
      } else if (!written) {
        const auto bytes = result.get_bytes(static_cast<std::size_t>(box.elements()) *
                                            task_.results[i].bytes_each());
        of_others = target_.write(i, box, task_.plan.order(), bytes, of_others);
      }
    }
  }
  return of_chunks ^ of_others;
}

void AxisSink::merge(std::int64_t item, base::ByteReader& body) {
  const std::int64_t tile = task_.items.item(item).first_tile;
  statistics::OutputPartials share;
  body.read(share);
  AxisState::Gathering& gathering = state_.open[tile];
  if (gathering.shares == 0) {
    gathering.partials = std::move(share);
  } else {
    gathering.partials.merge(share);
  }
  if (++gathering.shares < task_.items.shares()) return;
  base::Bytes answers(static_cast<std::size_t>(gathering.partials.outputs) * task_.answer_bytes());
  task_.write_answers(tile, gathering.partials, answers);
  state_.open.erase(tile);
  state_.checksums[static_cast<std::size_t>(task_.items.group(item))] = write(tile, answers, 0);
}

std::uint32_t AxisSink::write(std::int64_t tile, std::span<const std::byte> answers,
                              std::uint32_t checksum) {
  const plan::Box box = task_.plan.tile(tile);
  for (std::size_t i = 0; i < task_.results.size(); ++i) {
    const std::size_t bytes =
        task_.results[i].bytes_each() * static_cast<std::size_t>(box.elements());
    checksum = target_.write(i, box, task_.plan.order(), answers.first(bytes), checksum);
    answers = answers.subspan(bytes);
  }
  return checksum;
}

void AxisSink::fill(store::ReduceCheckpoint& state) const {
  state.tiles_each = task_.items.cut().tiles_each;
  state.shares = task_.items.cut().shares;
  state.partial = base::to_bytes(state_);
}

store::ReduceCheckpoint AxisSink::checkpoint(store::ReduceCheckpoint blank) const {
  store::ReduceCheckpoint now = ItemSink::checkpoint(std::move(blank));
  // All tiles in now.finished were written before this call.
  if (now.count_finished() > 0) target_.sync();
  return now;
}

bool AxisSink::resume(const store::ReduceCheckpoint& found) {
  auto state = base::from_bytes<AxisState>(found.partial);
  if (found.finished.size() != finished_.size() || !is_written(found, state)) return false;
  finished_ = found.finished;
  found_items_ = found.count_finished();
  state_ = std::move(state);
  return true;
}

bool AxisSink::is_written(const store::ReduceCheckpoint& found, const AxisState& state) const {
  const auto shares = static_cast<std::ptrdiff_t>(task_.items.shares());
  try {
    for (std::int64_t group = 0; group < task_.items.groups(); ++group) {
      const auto first = found.finished.begin() + group * shares;
      const bool whole = std::all_of(first, first + shares, [](bool finished) { return finished; });
      if (!whole) continue;
      if (read_checksum(group) != state.checksums[static_cast<std::size_t>(group)]) return false;
    }
  } catch (const base::Error&) {
    return false;  // the file is truncated
  }
  return true;
}

std::uint32_t AxisSink::read_checksum(std::int64_t group) const {
  const plan::AxisItems::Item item = task_.items.item(group * task_.items.shares());
  std::uint32_t of_chunks = 0;
  std::uint32_t of_others = 0;
  for (std::int64_t tile = item.first_tile; tile < item.end_tile; ++tile) {
    const plan::Box box = task_.plan.tile(tile);
    for (std::size_t i = 0; i < task_.results.size(); ++i) {
      std::uint32_t& checksum = task_.in_chunks(i) ? of_chunks : of_others;
      checksum = target_.read_checksum(i, box, checksum);
    }
  }
  return of_chunks ^ of_others;
}

}  // namespace tessera::reduce
