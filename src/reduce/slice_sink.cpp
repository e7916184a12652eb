#include "reduce/slice_sink.hpp"

#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::reduce {
namespace {

/// What a checkpoint has, as SliceSink::fill() writes it.
struct SliceState {
  PassRequest request;
  statistics::OrderFindings order;
  SliceResult all;

  static auto members(auto& self) { return std::tie(self.request, self.order, self.all); }
};

}  // namespace

void PassRequest::write(base::ByteWriter& to) const {
  const HistogramRange known = range.value_or(HistogramRange());
  to.put(partial, histogram, range.has_value(), known.first, known.second, keys, weights);
}

void PassRequest::read(base::ByteReader& from) {
  from.read(partial);
  from.read(histogram);
  const bool has_range = from.get<bool>();
  const auto low = from.get<double>();
  const auto high = from.get<double>();
  if (has_range) range = {low, high};
  from.read(keys);
  from.read(weights);
}

void SliceResult::merge(const SliceResult& other, const PassRequest& request) {
  partial.merge(other.partial);
  if (histogram.size() < other.histogram.size()) histogram.resize(other.histogram.size());
  for (std::size_t bin = 0; bin < other.histogram.size(); ++bin) {
    histogram[bin] += other.histogram[bin];
  }
  keys.merge(other.keys, request.keys);
  weights.merge(other.weights, request.weights);
}

SliceSink::SliceSink(const store::ReduceCheckpoint* found) : found_(found) {
  if (found == nullptr) return;
  SliceState state = base::from_bytes<SliceState>(found->partial);
  request_ = std::move(state.request);
  found_order_ = std::move(state.order);
  all_ = std::move(state.all);
}

void SliceSink::begin(std::int64_t pass, const PassRequest& request, std::int64_t slices,
                      const job::Share& share) {
  pass_ = pass;
  share_ = share;
  request_ = request;
  finished_.assign(static_cast<std::size_t>(slices), false);
  if (found_ == nullptr || found_->pass != pass) {
    all_.keys = statistics::KeyTally(request.keys);
    all_.weights = statistics::WeightTally(request.weights);
    return;
  }
  if (found_->finished.size() != finished_.size()) {
    throw base::run_error("the checkpoint has {}, the array {}; --overwrite restarts from scratch",
                          base::count_of(std::ssize(found_->finished), "slice"),
                          base::count_of(slices, "slice"));
  }
  finished_ = found_->finished;
  found_items_ = pass * slices + found_->count_finished();
}

void SliceSink::add(std::int64_t, base::ByteReader& result) {
  all_.merge(result.get<SliceResult>(), request_);
}

bool merge(store::ReduceCheckpoint& all, const store::ReduceCheckpoint& more) {
  const auto of_what = [](const store::ReduceCheckpoint& one) {
    return std::tie(one.version, one.job, one.inputs, one.slice_bytes, one.pass);
  };
  if (of_what(all) != of_what(more) || all.finished.size() != more.finished.size()) return false;
  for (std::size_t slice = 0; slice < all.finished.size(); ++slice) {
    if (all.finished[slice] && more.finished[slice]) return false;
  }
  SliceState sum = base::from_bytes<SliceState>(all.partial);
  sum.all.merge(base::from_bytes<SliceState>(more.partial).all, sum.request);
  for (std::size_t slice = 0; slice < all.finished.size(); ++slice) {
    if (more.finished[slice]) all.finished[slice] = true;
  }
  all.partial = base::to_bytes(sum);
  return true;
}

void SliceSink::fill(store::ReduceCheckpoint& state) const {
  state.pass = pass_;
  state.partial = base::to_bytes(request_, found_order_, all_);
}

}  // namespace tessera::reduce
