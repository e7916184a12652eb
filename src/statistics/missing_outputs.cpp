#include "statistics/missing_outputs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "statistics/each_place.hpp"

namespace tessera::statistics {
namespace {

template <class T>
OrderKey order_key(T x) {
  if constexpr (std::is_signed_v<T>) {
    return key_of(static_cast<std::int64_t>(x));
  } else {
    return key_of(static_cast<std::uint64_t>(x));
  }
}

/// The bits of a positive infinity; those of a NaN are greater.
template <class Word>
constexpr Word infinity_bits() {
  if constexpr (sizeof(Word) == 2) return 0x7c00;
  if constexpr (sizeof(Word) == 4) return 0x7f800000;
  return static_cast<Word>(0x7ff0000000000000);
}

template <class Word>
bool are_nan_bits(Word bits) {
  return static_cast<Word>(bits << 1) > static_cast<Word>(infinity_bits<Word>() << 1);
}

}  // namespace

MissingOutputs::MissingOutputs(const OutputSpec& output_spec, const base::MissingMarkers& markers)
    : output_spec_(output_spec), markers_(markers) {}

OutputSpec MissingOutputs::device_spec(OutputSpec output_spec) {
  if (base::is_floating(output_spec.spec.type)) output_spec.spec.skip_nan = true;
  return output_spec;
}

void MissingOutputs::begin(std::int64_t outputs) {
  missing_ = {};
  nans_ = 0;
  nans_of_.clear();
  first_nan_.clear();
  if (adds()) integers_.reset(output_spec_, outputs);
  integers_.outputs = outputs;
}

void MissingOutputs::add(std::span<const std::byte> elements, const plan::AxisPiece& piece) {
  const base::ElementType type = output_spec_.spec.type;
  if (type == base::ElementType::f16) return count_nans<std::uint16_t>(elements, piece);
  if (type == base::ElementType::f32) return count_nans<std::uint32_t>(elements, piece);
  if (type == base::ElementType::f64) return count_nans<std::uint64_t>(elements, piece);
  base::with_element_type(type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) add_integers<T>(elements, piece);
  });
}

template <class Word>
void MissingOutputs::count_nans(std::span<const std::byte> elements, const plan::AxisPiece& piece) {
  const auto at = [elements](std::size_t i) {
    Word bits;
    std::memcpy(&bits, elements.data() + i * sizeof(Word), sizeof(Word));
    return bits;
  };
  const auto fill = static_cast<Word>(markers_.fill);
  const auto range = static_cast<Word>(markers_.range);
  const std::size_t all = elements.size() / sizeof(Word);
  std::int64_t nans = 0, fills = 0, ranges = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const Word bits = at(i);
    nans += are_nan_bits(bits) ? 1 : 0;
    fills += bits == fill ? 1 : 0;
    ranges += bits == range ? 1 : 0;
  }
  const MissingCounts missing = MissingCounts::of(fills, ranges, markers_);
  missing_ += missing;
  nans -= missing.total();
  if (nans == 0) return;
  nans_ += nans;
  if (nans_of_.empty()) {
    nans_of_.assign(static_cast<std::size_t>(integers_.outputs), 0);
    first_nan_.assign(nans_of_.size(), ExtremeIndex::kNowhere);
  }
  std::size_t i = 0;
  for_each_place(piece.levels, 0, piece.first_index, [&](std::int64_t output, std::int64_t index) {
    const Word bits = at(i++);
    if (!are_nan_bits(bits) || bits == fill || bits == range) return;
    const auto of = static_cast<std::size_t>(output);
    ++nans_of_[of];
    first_nan_[of] = std::min(first_nan_[of], index);
  });
}

template <class T>
void MissingOutputs::add_integers(std::span<const std::byte> elements,
                                  const plan::AxisPiece& piece) {
  const auto fill = static_cast<T>(markers_.fill);
  const auto range = static_cast<T>(markers_.range);
  const std::byte* next = elements.data();
  for_each_place(piece.levels, 0, piece.first_index, [&](std::int64_t output, std::int64_t index) {
    T x;
    std::memcpy(&x, next, sizeof(T));
    next += sizeof(T);
    const auto of = static_cast<std::size_t>(output);
    if (x != fill && x != range) return add_integer(x, of, index);
    std::int64_t& count = x == fill && markers_.has_fill ? missing_.fill : missing_.range;
    ++count;
    if (integers_.missing.empty()) {
      integers_.missing.assign(static_cast<std::size_t>(integers_.outputs), 0);
    }
    ++integers_.missing[of];
  });
}

template <class T>
void MissingOutputs::add_integer(T x, std::size_t output, std::int64_t index) {
  const ReductionSpec& spec = output_spec_.spec;
  OutputPartials& all = integers_;
  if (!all.nonzero.empty()) all.nonzero[output] += x != 0 ? 1 : 0;
  const OrderKey key = order_key(x);
  if (!all.least.empty()) {
    all.least[output] = std::min(all.least[output], key);
    all.greatest[output] = std::max(all.greatest[output], key);
  }
  if (!all.at_least.empty()) {
    all.at_least[output] = first_least(all.at_least[output], {key, index});
    all.at_greatest[output] = first_greatest(all.at_greatest[output], {key, index});
  }
  if (!all.integers.empty()) {
    IntegerSums& sums = all.integers[output];
    using Natural = decltype(sums.absolute);
    auto magnitude = static_cast<Natural>(static_cast<kernels::Int128>(x));
    if constexpr (std::is_signed_v<T>) {
      if (x < 0) magnitude = ~magnitude + 1;
    }
    if (spec.sum) sums.sum += x;
    if (spec.absolute) sums.absolute += magnitude;
    if (spec.squares) {
      sums.squares_low += static_cast<std::uint64_t>(magnitude * magnitude);
      sums.squares_high += static_cast<std::uint64_t>((magnitude * magnitude) >> 64);
    }
  }
  all.for_each_power([&](const auto& column) {
    if (!column.requested(spec)) return;
    (all.*column.all).add_power(static_cast<std::int64_t>(output), kernels::exact_term(x));
  });
  if (all.histogram.empty()) return;
  const std::size_t bin = output_spec_.bins->guess(static_cast<double>(x));
  if (bin != HistogramBins::kOutside) {
    ++all.histogram[output * output_spec_.bins->count() + bin];
  }
}

void MissingOutputs::finish(std::int64_t elements_each, OutputPartials& partials) {
  if (adds()) {
    integers_.elements = elements_each;
    partials = std::move(integers_);
    return;
  }
  partials.missing = std::exchange(partials.nans, nans_of_);
  if (!nans_of_.empty()) {
    std::ranges::transform(partials.missing, nans_of_, partials.missing.begin(), std::minus<>());
  }
  if (output_spec_.spec.skip_nan) return;
  if (!partials.first_nan.empty()) {
    std::ranges::fill(partials.first_nan, ExtremeIndex::kNowhere);
    if (!first_nan_.empty()) partials.first_nan = first_nan_;
  }
  if (partials.nonzero.empty() || nans_of_.empty()) return;
  std::ranges::transform(partials.nonzero, nans_of_, partials.nonzero.begin(), std::plus<>());
}

SpecialCounts MissingOutputs::specials(const SpecialCounts& of_device) const {
  SpecialCounts counts = of_device;
  counts.missing = missing_;
  if (!adds()) counts.nans = nans_;
  return counts;
}

}  // namespace tessera::statistics
