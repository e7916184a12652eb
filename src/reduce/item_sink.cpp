#include "reduce/item_sink.hpp"

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

store::ReduceCheckpoint ItemSink::checkpoint(store::ReduceCheckpoint blank) const {
  const std::scoped_lock lock(mutex_);
  blank.finished = finished_;
  fill(blank);
  return blank;
}

}  // namespace tessera::reduce
