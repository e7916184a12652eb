#include "reduce/item_sink.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::reduce {

void ItemSink::put(farm::ResultChunk result_chunk) {
  base::ByteReader body(result_chunk.body);
  const auto elements = body.get<std::int64_t>();
  const auto item = static_cast<std::size_t>(result_chunk.item);
  const std::scoped_lock lock(mutex_);
  if (finished_[item]) return;
  add(result_chunk.item, body);
  finished_[item] = true;
  ReducedCounts& reduced = reduced_[result_chunk.rank];
  ++reduced.items;
  reduced.elements += elements;
  make_room();
}

std::vector<bool> ItemSink::to_skip() const {
  std::vector<bool> skipped = finished_;
  const std::size_t items = skipped.size();
  const auto of = static_cast<std::size_t>(share_.of);
  const auto number = static_cast<std::size_t>(share_.number);
  const auto begin = skipped.begin() + static_cast<std::ptrdiff_t>(items * (number - 1) / of);
  const auto end = skipped.begin() + static_cast<std::ptrdiff_t>(items * number / of);
  std::fill(skipped.begin(), begin, true);
  std::fill(end, skipped.end(), true);
  return skipped;
}

std::int64_t ItemSink::left_out() const {
  return std::ranges::count(to_skip(), true) - std::ranges::count(finished_, true);
}

store::ReduceCheckpoint ItemSink::checkpoint(store::ReduceCheckpoint blank) const {
  const std::scoped_lock lock(mutex_);
  blank.finished = finished_;
  fill(blank);
  return blank;
}

}  // namespace tessera::reduce
