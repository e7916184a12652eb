#include "reduce/slice_sink.hpp"

#include <algorithm>
#include <span>

#include "base/error.hpp"

namespace tessera::reduce {

void SliceResult::merge(const SliceResult& other) {
  partial.merge(other.partial);
  if (histogram.size() < other.histogram.size()) histogram.resize(other.histogram.size());
  for (std::size_t bin = 0; bin < other.histogram.size(); ++bin) {
    histogram[bin] += other.histogram[bin];
  }
}

base::Bytes encode(const SliceResult& result) {
  base::ByteWriter out;
  out.put(result.partial).put_bytes(std::as_bytes(std::span(result.histogram)));
  return out.take();
}

SliceResult decode_slice_result(std::span<const std::byte> bytes) {
  base::ByteReader in(bytes);
  SliceResult result{.partial = in.get<statistics::Partial>()};
  const auto counts = in.get_bytes(bytes.size() - sizeof(statistics::Partial));
  result.histogram.resize(counts.size() / sizeof(std::int64_t));
  std::ranges::copy(counts, std::as_writable_bytes(std::span(result.histogram)).begin());
  return result;
}

base::Bytes slice_message(std::int64_t elements, const SliceResult& result) {
  return base::ByteWriter().put(elements).put_bytes(encode(result)).take();
}

ReduceSink::ReduceSink(const store::ReduceCheckpoint* found) : found_(found) {
  if (found != nullptr) all_ = decode_slice_result(found->partial);
}

void ReduceSink::begin(std::int64_t pass, std::int64_t slices) {
  pass_ = pass;
  finished_.assign(static_cast<std::size_t>(slices), false);
  if (found_ == nullptr || found_->pass != pass) return;
  if (found_->finished.size() != finished_.size()) {
    throw base::run_error(
        "the checkpoint is of {} slices, and there are {}; --overwrite begins anew",
        found_->finished.size(), slices);
  }
  finished_ = found_->finished;
  found_slices_ = pass * slices + found_->count_finished();
}

void ReduceSink::put(farm::ResultChunk result_chunk) {
  base::ByteReader body(result_chunk.body);
  const auto elements = body.get<std::int64_t>();
  const SliceResult slice =
      decode_slice_result(std::span(result_chunk.body).subspan(sizeof elements));
  const auto item = static_cast<std::size_t>(result_chunk.item);
  const std::scoped_lock lock(mutex_);
  if (finished_[item]) return;
  all_.merge(slice);
  finished_[item] = true;
  ReducedCounts& reduced = reduced_[result_chunk.rank];
  ++reduced.slices;
  reduced.elements += elements;
}

store::ReduceCheckpoint ReduceSink::checkpoint(store::ReduceCheckpoint blank) const {
  const std::scoped_lock lock(mutex_);
  blank.pass = pass_;
  blank.finished = finished_;
  blank.partial = encode(all_);
  return blank;
}

}  // namespace tessera::reduce
