#include "reduce/slice_sink.hpp"

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::reduce {
namespace {

SliceResult decode_slice_result(base::ByteReader& in) {
  SliceResult result{.partial = in.get<statistics::Partial>()};
  const auto counts = in.get_rest();
  result.histogram.resize(counts.size() / sizeof(std::int64_t));
  std::ranges::copy(counts, std::as_writable_bytes(std::span(result.histogram)).begin());
  return result;
}

}  // namespace

void SliceResult::merge(const SliceResult& other) {
  partial.merge(other.partial);
  if (histogram.size() < other.histogram.size()) histogram.resize(other.histogram.size());
  for (std::size_t bin = 0; bin < other.histogram.size(); ++bin) {
    histogram[bin] += other.histogram[bin];
  }
}

base::Bytes encode(const SliceResult& result) {
  base::ByteWriter out;
  return out.put(result.partial).put_bytes(std::as_bytes(std::span(result.histogram))).take();
}

SliceSink::SliceSink(const store::ReduceCheckpoint* found) : found_(found) {
  if (found == nullptr) return;
  base::ByteReader in(found->partial);
  all_ = decode_slice_result(in);
}

void SliceSink::begin(std::int64_t pass, std::int64_t slices) {
  pass_ = pass;
  finished_.assign(static_cast<std::size_t>(slices), false);
  if (found_ == nullptr || found_->pass != pass) return;
  if (found_->finished.size() != finished_.size()) {
    throw base::run_error("the checkpoint has {}, the array {}; --overwrite begins anew",
                          base::count_of(std::ssize(found_->finished), "slice"),
                          base::count_of(slices, "slice"));
  }
  finished_ = found_->finished;
  found_items_ = pass * slices + found_->count_finished();
}

void SliceSink::add(std::int64_t, base::ByteReader& result) {
  all_.merge(decode_slice_result(result));
}

void SliceSink::fill(store::ReduceCheckpoint& state) const {
  state.pass = pass_;
  state.partial = encode(all_);
}

}  // namespace tessera::reduce
