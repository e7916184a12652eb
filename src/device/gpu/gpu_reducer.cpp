#include "device/gpu/gpu_reducer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>

#include "base/fault.hpp"
#include "device/each_element.hpp"
#include "device/gpu/records.hpp"
#include "device/half.hpp"

namespace tessera::device::gpu {
namespace {

std::uint32_t flags_of(const ReductionSpec& spec) {
  std::uint32_t flags = 0;
  const auto want = [&](bool wanted, std::uint32_t flag) { flags |= wanted ? flag : 0; };
  want(spec.sum, TS_WANT_SUM);
  want(spec.absolute, TS_WANT_ABSOLUTE);
  want(spec.squares, TS_WANT_SQUARES);
  want(spec.extremes, TS_WANT_EXTREMES);
  want(spec.places, TS_WANT_PLACES);
  want(spec.nonzero, TS_WANT_NONZERO);
  want(spec.skip_nan, TS_SKIP_NAN);
  return flags;
}

kernels::TsMake description_of(const MadeElements& made) {
  const job::ArrayInput& input = made.input;
  const std::int64_t all = input.shape.front();
  const bool spaced = input.format == job::ArrayInput::Format::linspace;
  kernels::TsMake make{};
  make.all = static_cast<std::uint64_t>(all);
  make.seed = input.seed;
  make.start = input.start;
  make.stop = input.stop;
  make.step = spaced && all > 1 ? (input.stop - input.start) / static_cast<double>(all - 1) : 0.0;
  make.what = spaced ? TS_MAKE_SPACED : input.normal ? TS_MAKE_NORMAL : TS_MAKE_UNIFORM;
  make.element_bytes = static_cast<std::uint32_t>(base::element_bytes(input.type));
  make.is_float = input.type == base::ElementType::f32 || input.type == base::ElementType::f64;
  return make;
}

/// With that of +0.0 for -0.0; none for NaN.
std::optional<OrderKey> place_key(double x) {
  if (std::isnan(x)) return std::nullopt;
  return key_of(x == 0 ? 0.0 : x);
}
template <class Integer>
std::optional<OrderKey> place_key(Integer x) {
  return key_of(x);
}

/// visit(index in `elements`, place_key()) for each element.
template <class Visit>
void for_each_key(std::span<const std::byte> elements, base::ElementType type, const Visit& visit) {
  with_element_type(type, [&]<class T>(T) {
    using Integer = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double, Integer>;
    for (std::size_t i = 0; (i + 1) * sizeof(T) <= elements.size(); ++i) {
      T element;
      std::memcpy(&element, elements.data() + i * sizeof(T), sizeof(T));
      const auto half = [&] { return widen_half(static_cast<std::uint16_t>(element)); };
      visit(static_cast<std::int64_t>(i), type == base::ElementType::f16
                                              ? place_key(static_cast<double>(half()))
                                              : place_key(static_cast<Wide>(element)));
    }
  });
}

/// Places in elements whose indices do not grow: the device says which keys are the extremes, and
/// of those all have to be looked at.
LaunchPlaces places_by_index(std::span<const std::byte> elements, base::ElementType type,
                             const LaunchPlaces& found, const Indexing& indexing) {
  LaunchPlaces places{.least = {found.least.key, Place::kNowhere},
                      .greatest = {found.greatest.key, Place::kNowhere}};
  for_each_key(elements, type, [&](std::int64_t i, std::optional<OrderKey> key) {
    const auto offer = [&](std::int64_t& lowest) { lowest = std::min(lowest, indexing.of(i)); };
    if (!key) {
      offer(places.first_nan);
      return;
    }
    if (*key == places.least.key) offer(places.least.index);
    if (*key == places.greatest.key) offer(places.greatest.index);
  });
  return places;
}

}  // namespace

GpuReducer::GpuReducer(std::unique_ptr<ArrayStream> stream, const ReductionSpec& spec)
    : stream_(std::move(stream)),
      spec_(spec),
      element_bytes_(static_cast<std::int64_t>(base::element_bytes(spec.type))) {}

std::unique_ptr<HostBuffer> GpuReducer::make_host_buffer(std::size_t bytes) {
  try {
    return stream_->make_host_buffer(bytes);
  } catch (const DeviceError&) {
    return Reducer::make_host_buffer(bytes);
  }
}

std::int64_t GpuReducer::elements_at_once(std::int64_t elements) {
  if (base::fault("device.kernel") || base::fault("device.kernel.gpu")) {
    throw DeviceError("a fault point says that this kernel fails");
  }
  auto wanted = static_cast<std::size_t>(
      std::min(elements, static_cast<std::int64_t>(kMostBytes) / element_bytes_) * element_bytes_);
  while (no_room_for_bytes_ != 0 && wanted >= no_room_for_bytes_) wanted /= 2;
  while (wanted > stream_->capacity() && !stream_->grow(wanted)) {
    no_room_for_bytes_ = wanted;
    wanted /= 2;
  }
  return static_cast<std::int64_t>(std::min(stream_->capacity(), kMostBytes)) / element_bytes_;
}

void GpuReducer::reduce(std::span<const std::byte> elements, const Indexing& indexing,
                        Partial& partial) {
  const std::int64_t count = static_cast<std::int64_t>(elements.size()) / element_bytes_;
  const std::int64_t most = elements_at_once(count);
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t taken = std::min(most, count - first);
    const auto part = elements.subspan(static_cast<std::size_t>(first * element_bytes_),
                                       static_cast<std::size_t>(taken * element_bytes_));
    stream_->copy_in(part);
    const auto index = [&](std::int64_t i) { return indexing.of(first + i); };
    reduce_there(taken, part, {.of = index, .in_order = indexing.in_order}, partial);
  }
}

void GpuReducer::reduce_made(const MadeElements& made, const Indexing& indexing, Partial& partial) {
  const std::int64_t most = elements_at_once(made.count);
  for (std::int64_t first = 0; first < made.count; first += most) {
    const std::int64_t taken = std::min(most, made.count - first);
    make(made, first, taken);
    const auto index = [&](std::int64_t i) { return indexing.of(first + i); };
    reduce_there(taken, {}, {.of = index}, partial);
  }
}

/// Elements [first, first + count) of those that are to be made.
void GpuReducer::make(const MadeElements& made, std::int64_t first, std::int64_t count) {
  kernels::TsMake make = description_of(made);
  make.first = static_cast<std::uint64_t>(made.first + first);
  make.count = static_cast<std::uint64_t>(count);
  stream_->make(make);
}

/// What is on the device, and as `in_host` here too if its indices do not grow.
void GpuReducer::reduce_there(std::int64_t elements, std::span<const std::byte> in_host,
                              const Indexing& indexing, Partial& partial) {
  kernels::TsReduce call{};
  call.elements = static_cast<std::uint64_t>(elements);
  call.flags = flags_of(spec_);
  stream_->launch(call, spec_.type);
  LaunchResult result{.records = stream_->read_records(), .elements = elements};
  const auto spilled = [](const Record& record) { return record.spilled != 0; };
  if (std::ranges::any_of(result.records, spilled)) result.spill = stream_->read_spill();
  add_counts_and_sums(result, spec_, partial);
  if (!spec_.places) return;
  LaunchPlaces places = places_of(result.records);
  if (indexing.in_order) {
    for (std::int64_t* i : {&places.least.index, &places.greatest.index, &places.first_nan}) {
      if (*i != Place::kNowhere) *i = indexing.of(*i);
    }
  } else {
    places = places_by_index(in_host, spec_.type, places, indexing);
  }
  partial.offer_least(places.least);
  partial.offer_greatest(places.greatest);
  partial.first_nan = std::min(partial.first_nan, places.first_nan);
}

void GpuReducer::count(std::span<const std::byte> elements, const HistogramBins& bins,
                       std::span<std::int64_t> counts) {
  const std::int64_t count = static_cast<std::int64_t>(elements.size()) / element_bytes_;
  const std::int64_t most = elements_at_once(count);
  use_bins(bins);
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t taken = std::min(most, count - first);
    stream_->copy_in(elements.subspan(static_cast<std::size_t>(first * element_bytes_),
                                      static_cast<std::size_t>(taken * element_bytes_)));
    count_there(taken);
  }
  add_bins(counts);
}

void GpuReducer::count_made(const MadeElements& made, const HistogramBins& bins,
                            std::span<std::int64_t> counts) {
  const std::int64_t most = elements_at_once(made.count);
  use_bins(bins);
  for (std::int64_t first = 0; first < made.count; first += most) {
    const std::int64_t taken = std::min(most, made.count - first);
    make(made, first, taken);
    count_there(taken);
  }
  add_bins(counts);
}

void GpuReducer::use_bins(const HistogramBins& bins) {
  if (std::ranges::equal(edges_, bins.edges())) return;
  edges_.assign(bins.edges().begin(), bins.edges().end());
  stream_->set_bins(edges_);
}

void GpuReducer::count_there(std::int64_t elements) {
  kernels::TsReduce call{};
  call.elements = static_cast<std::uint64_t>(elements);
  call.low = edges_.front();
  call.high = edges_.back();
  call.bins = static_cast<std::uint32_t>(edges_.size() - 1);
  call.bins_per_unit = call.bins / (call.high - call.low);
  // Of so narrow a range that it has fewer numbers than bins.
  if (!std::isfinite(call.bins_per_unit)) call.bins_per_unit = 0;
  call.flags = TS_WANT_BINS;
  stream_->launch(call, spec_.type);
}

void GpuReducer::add_bins(std::span<std::int64_t> counts) {
  const std::span<const kernels::TS_U64> there = stream_->read_bins();
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    counts[bin] += static_cast<std::int64_t>(there[bin]);
  }
}

}  // namespace tessera::device::gpu
