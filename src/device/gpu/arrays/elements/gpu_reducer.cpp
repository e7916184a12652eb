#include "device/gpu/arrays/elements/gpu_reducer.hpp"

#include <algorithm>

#include "device/gpu/arrays/elements/block_records.hpp"
#include "device/gpu/arrays/elements/places.hpp"
#include "device/gpu/arrays/elements/product_records.hpp"

namespace tessera::device::gpu {

GpuReducer::GpuReducer(std::unique_ptr<ArrayStream> stream, const statistics::ReductionSpec& spec,
                       std::size_t max_bytes)
    : ReducerOnQueue(std::move(stream), max_bytes),
      spec_(spec),
      element_bytes_(static_cast<std::int64_t>(base::element_bytes(spec.type))) {
  GpuReducer::prepare_stream();
}

void GpuReducer::prepare_stream() {
  edges_.clear();
  if (spec_.product) stream_->set_logarithms(logarithm_words());
}

template <class Work>
void GpuReducer::for_each_part(const statistics::Elements& elements, const KeyLimits& room,
                               const Work& work) {
  const std::int64_t count = elements.count(spec_.type);
  const std::int64_t most =
      elements_at_once(elements, count, element_bytes_ + room.bytes_each, room.bytes);
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t taken = std::min(most, count - first);
    const statistics::Elements part = elements.part(first, taken, spec_.type);
    settled(*stream_, [&] {
      put_elements(part, spec_.type, 0, bytes_of(taken, element_bytes_));
      work(first, part);
    });
  }
}

/// Puts the elements of x, then those of y at the next multiple of TS_VECTOR_BYTES.
template <class Work>
void GpuReducer::for_each_pair(const statistics::Elements& x, const statistics::Elements& y,
                               const statistics::ReductionSpec& spec, const Work& work) {
  const std::int64_t count = x.count(spec_.type);
  const std::int64_t most = elements_at_once(x, count, element_bytes_ + with_bytes(spec));
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t taken = std::min(most, count - first);
    const statistics::Elements part = x.part(first, taken, spec_.type);
    const std::size_t second = bytes_of(taken, element_bytes_);
    const std::size_t end = second + bytes_of(taken, with_bytes(spec));
    settled(*stream_, [&] {
      put_elements(part, spec_.type, 0, end);
      put_elements(y.part(first, taken, spec.with_type), spec.with_type, second, end);
      work(first, part);
    });
  }
}

namespace {

statistics::Indexing from(const statistics::Indexing& indexing, std::int64_t first) {
  return {.of = [&indexing, first](std::int64_t i) { return indexing.of(first + i); },
          .in_order = indexing.in_order};
}

}  // namespace

void GpuReducer::reduce(const statistics::Elements& elements, const statistics::Indexing& indexing,
                        statistics::Partial& partial) {
  if (elements.resident) return reduce_resident(elements, indexing, partial);
  for_each_part(elements, {}, [&](std::int64_t first, const statistics::Elements& part) {
    reduce_on_device(part, from(indexing, first), partial);
  });
}

static_assert(statistics::ResidentElements::kAlignment == TS_VECTOR_BYTES);

void GpuReducer::reduce_resident(const statistics::Elements& elements,
                                 const statistics::Indexing& indexing,
                                 statistics::Partial& partial) {
  constexpr std::int64_t kMost = TS_MOST_ELEMENTS;
  const std::int64_t count = elements.count(spec_.type);
  for (std::int64_t first = 0; first < count; first += kMost) {
    const auto part = elements.part(first, std::min(kMost, count - first), spec_.type);
    stream_->borrow(part.read.data());
    settled(*stream_, [&] { reduce_on_device(part, from(indexing, first), partial); });
  }
  stream_->borrow(nullptr);
}

void GpuReducer::add_pairs(const statistics::Elements& x, const statistics::Elements& y,
                           const statistics::ReductionSpec& spec, statistics::PairSums& sums) {
  for_each_pair(x, y, spec, [&](std::int64_t, const statistics::Elements& part) {
    add_pairs_on_device(part.count(spec_.type), spec, sums);
  });
}

void GpuReducer::reduce_pairs(const statistics::Elements& x, const statistics::Elements& y,
                              const statistics::Indexing& indexing,
                              const statistics::ReductionSpec& spec, statistics::Partial& partial) {
  for_each_pair(x, y, spec, [&](std::int64_t first, const statistics::Elements& part) {
    add_pairs_on_device(part.count(spec_.type), spec, partial.pairs);
    reduce_on_device(part, from(indexing, first), partial);
  });
}

/// The records of the last launch, and the spilled limbs if there are any.
LaunchResult GpuReducer::read_result(std::int64_t elements) {
  LaunchResult result{.records = stream_->read_records(), .elements = elements};
  const auto spilled = [](const Record& record) { return record.spilled != 0; };
  if (std::ranges::any_of(result.records, spilled)) result.spill = stream_->read_spill();
  return result;
}

void GpuReducer::add_pairs_on_device(std::int64_t elements, const statistics::ReductionSpec& spec,
                                     statistics::PairSums& sums) {
  const std::int64_t bytes = elements * (element_bytes_ + with_bytes(spec));
  const bool real = base::is_floating(spec.type) || base::is_floating(spec.with_type);
  kernels::TsReduce call{};
  call.elements = static_cast<std::uint64_t>(elements);
  call.second = aligned(static_cast<std::size_t>(elements * element_bytes_));
  call.flags = spec.skip_nan ? TS_SKIP_NAN : 0;
  call.type = type_of(spec.type);
  call.second_type = type_of(spec.with_type);
  stream_->enqueue(real ? kernels::ArrayKernel::dot_reals : kernels::ArrayKernel::dot_integers,
                   blocks_of_bytes(static_cast<std::size_t>(bytes)), call);
  gpu::add_pairs(read_result(elements), real, sums);
}

/// The elements of the part that is on the device.
std::span<const std::byte> GpuReducer::bytes_of(const statistics::Elements& part) {
  if (!part.mapped && !part.generated) return part.bytes();
  evaluated_.resize(static_cast<std::size_t>(part.count(spec_.type) * element_bytes_));
  stream_->copy_out(0, evaluated_);
  return evaluated_;
}

/// Reduces the part that is on the device. Its elements must not be generated if their indices are
/// not increasing.
void GpuReducer::reduce_on_device(const statistics::Elements& part,
                                  const statistics::Indexing& indexing,
                                  statistics::Partial& partial) {
  const std::int64_t elements = part.count(spec_.type);
  const auto blocks = blocks_of_bytes(static_cast<std::size_t>(elements * element_bytes_));
  kernels::TsReduce call{};
  call.elements = static_cast<std::uint64_t>(elements);
  call.flags = flags_of(spec_);
  call.type = type_of(spec_.type);
  if (spec_.product) {
    stream_->enqueue(kernels::ArrayKernel::product, blocks, call);
    add_product(stream_->read_records(), partial.product);
  }
  stream_->enqueue(kernel_of(call, spec_.type), blocks, call);
  const LaunchResult result = read_result(elements);
  add_counts_and_sums(result, spec_, partial);
  if (!spec_.places) return;
  LaunchIndices places = extreme_indices(result.records);
  if (indexing.in_order) {
    for (std::int64_t* i : {&places.least.index, &places.greatest.index, &places.first_nan}) {
      if (*i != statistics::ExtremeIndex::kNowhere) *i = indexing.of(*i);
    }
  } else {
    places = places_by_index(bytes_of(part), spec_.type, places, indexing);
  }
  partial.offer_least(places.least);
  partial.offer_greatest(places.greatest);
  partial.first_nan = std::min(partial.first_nan, places.first_nan);
}

void GpuReducer::count(const statistics::Elements& elements, const statistics::HistogramBins& bins,
                       std::span<std::int64_t> counts) {
  use_bins(bins);
  for_each_part(elements, {}, [&](std::int64_t, const statistics::Elements& part) {
    count_on_device(part.count(spec_.type));
  });
  add_bins(counts);
}

void GpuReducer::use_bins(const statistics::HistogramBins& bins) {
  if (std::ranges::equal(edges_, bins.edges())) return;
  edges_.assign(bins.edges().begin(), bins.edges().end());
  stream_->set_bins(edges_, 1);
}

void GpuReducer::count_on_device(std::int64_t elements) {
  kernels::TsReduce call{};
  call.elements = static_cast<std::uint64_t>(elements);
  call.low = edges_.front();
  call.high = edges_.back();
  call.bins = static_cast<std::uint32_t>(edges_.size() - 1);
  call.bins_per_unit = bins_per_unit(edges_);
  call.flags = TS_WANT_BINS;
  stream_->enqueue(kernel_of(spec_.type),
                   blocks_of_bytes(static_cast<std::size_t>(elements * element_bytes_)), call);
}

void GpuReducer::add_bins(std::span<std::int64_t> counts) {
  const std::span<const kernels::TS_U64> there = stream_->read_bins();
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    counts[bin] += static_cast<std::int64_t>(there[bin]);
  }
}

void GpuReducer::tally(const statistics::Elements& elements, const statistics::Indexing& indexing,
                       const statistics::KeyRequest& request, statistics::KeyTally& tally) {
  for_each_part(elements, room_of(request), [&](std::int64_t first, const auto& part) {
    const std::int64_t count = part.count(spec_.type);
    KeyLaunches(*stream_, spec_.type, count, bytes_of(count, element_bytes_))
        .tally(from(indexing, first), request, tally);
  });
}

}  // namespace tessera::device::gpu
