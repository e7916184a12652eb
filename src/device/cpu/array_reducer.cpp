// Reductions block by block: a pass over a block in the cache for each thing that is wanted, in
// loops that become vectors.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "device/cpu/cpu.hpp"
#include "device/cpu/exact_sum.hpp"
#include "device/each_element.hpp"
#include "device/half.hpp"

namespace tessera::device::cpu {

namespace {

/// 256 KiB of f64: in the second cache for the passes after the first, and long enough for the
/// exact sums to find out what sizes the numbers have. Sums of so many numbers of 32 bits fit
/// into 64.
constexpr std::size_t kBlock = 32768;
/// Comparisons under way at once.
constexpr std::size_t kLanes = 16;

template <class T>
struct Extremes {
  T least;
  T greatest;
};

/// By value: of -0.0 and +0.0 either. n >= 1, no NaN.
template <class T>
Extremes<T> extremes_of(const T* values, std::size_t n) {
  std::array<T, kLanes> least;
  std::array<T, kLanes> greatest;
  least.fill(values[0]);
  greatest.fill(values[0]);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const T x = values[i + k];
      least[k] = x < least[k] ? x : least[k];
      greatest[k] = x > greatest[k] ? x : greatest[k];
    }
  }
  Extremes<T> all{least[0], greatest[0]};
  const auto take = [&](T low, T high) {
    all.least = low < all.least ? low : all.least;
    all.greatest = high > all.greatest ? high : all.greatest;
  };
  for (std::size_t k = 0; k < kLanes; ++k) take(least[k], greatest[k]);
  for (; i < n; ++i) take(values[i], values[i]);
  return all;
}

template <class T>
std::int64_t count_nonzero(const T* values, std::size_t n) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += values[i] != T{0} ? 1 : 0;
  return count;
}

template <class T>
bool all_finite(std::span<const T> values) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  Bits found = 0;
  for (const T x : values) {
    const Bits exponent = std::bit_cast<Bits>(x) & infinity;
    found |= exponent == infinity ? 1 : 0;
  }
  return found == 0;
}

template <class T>
bool has_zero_of_sign(std::span<const T> values, bool negative) {
  return std::ranges::any_of(values, [=](T x) { return x == 0 && std::signbit(x) == negative; });
}

/// A sum of numbers of 64 bits by halves, each of which has room for a block.
struct Halves {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  void add(std::uint64_t x) {
    low += x & 0xffffffff;
    high += x >> 32;
  }
  kernels::UnsignedInt128 total() const {
    return (static_cast<kernels::UnsignedInt128>(high) << 32) + low;
  }
};

template <class T>
std::uint64_t magnitude_of(T x) {
  const auto wide = static_cast<std::uint64_t>(x);
  return x < T{0} ? -wide : wide;
}

template <class T>
kernels::Int128 sum_of(const T* values, std::size_t n) {
  if constexpr (sizeof(T) < 8) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += values[i];
    return sum;
  } else {
    // With the sign bit turned, all are unsigned, and 2^63 too large.
    constexpr std::uint64_t kOffset = std::is_signed_v<T> ? std::uint64_t{1} << 63 : 0;
    Halves sum;
    for (std::size_t i = 0; i < n; ++i) sum.add(static_cast<std::uint64_t>(values[i]) ^ kOffset);
    return static_cast<kernels::Int128>(sum.total()) - static_cast<kernels::Int128>(kOffset) * n;
  }
}

template <class T>
kernels::UnsignedInt128 absolute_of(const T* values, std::size_t n) {
  Halves sum;
  for (std::size_t i = 0; i < n; ++i) sum.add(magnitude_of(values[i]));
  return sum.total();
}

template <class T>
void add_squares(const T* values, std::size_t n, IntegerSums& sums) {
  if constexpr (sizeof(T) < 8) {
    Halves sum;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t x = magnitude_of(values[i]);
      sum.add(x * x);
    }
    sums.squares_low += sum.total();
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t x = magnitude_of(values[i]);
      const auto square = static_cast<kernels::UnsignedInt128>(x) * x;
      sums.squares_low += static_cast<std::uint64_t>(square);
      sums.squares_high += static_cast<std::uint64_t>(square >> 64);
    }
  }
}

/// Numbers of what is not finite.
struct Specials {
  std::int64_t nans = 0;
  std::int64_t positive_infinities = 0;
  std::int64_t negative_infinities = 0;
};

template <class T>
Specials count_specials(std::span<const T> values) {
  Specials found;
  for (const T x : values) {
    if (std::isnan(x)) ++found.nans;
    if (std::isinf(x)) ++(x > 0 ? found.positive_infinities : found.negative_infinities);
  }
  return found;
}

class ArrayReducer : public Reducer {
 public:
  ArrayReducer(const ReductionSpec& spec, const ExactSumSet& set)
      : spec_(spec), sums_(set.f64, set.f32) {}

  void reduce(std::span<const std::byte> elements, const Indexing& indexing,
              Partial& partial) override {
    using enum base::ElementType;
    switch (spec_.type) {
      case i8:
        return blocks<std::int8_t>(elements, indexing, partial);
      case i16:
        return blocks<std::int16_t>(elements, indexing, partial);
      case i32:
        return blocks<std::int32_t>(elements, indexing, partial);
      case i64:
        return blocks<std::int64_t>(elements, indexing, partial);
      case u8:
        return blocks<std::uint8_t>(elements, indexing, partial);
      case u16:
        return blocks<std::uint16_t>(elements, indexing, partial);
      case u32:
        return blocks<std::uint32_t>(elements, indexing, partial);
      case u64:
        return blocks<std::uint64_t>(elements, indexing, partial);
      case f16:
        return halves(elements, indexing, partial);
      case f32:
        return blocks<float>(elements, indexing, partial);
      case f64:
        return blocks<double>(elements, indexing, partial);
    }
  }

  void count(std::span<const std::byte> elements, const HistogramBins& bins,
             std::span<std::int64_t> counts) override {
    for_each_real(elements, spec_.type, [&](double x) {
      const std::size_t bin = bins.guess(x);
      if (bin != HistogramBins::kOutside) ++counts[bin];
    });
  }

 private:
  template <class T>
  void blocks(std::span<const std::byte> elements, const Indexing& indexing, Partial& partial) {
    const std::span values(reinterpret_cast<const T*>(elements.data()),
                           elements.size() / sizeof(T));
    for (std::size_t first = 0; first < values.size(); first += kBlock) {
      block(values.subspan(first, std::min(kBlock, values.size() - first)), first, indexing,
            partial);
    }
  }

  void halves(std::span<const std::byte> elements, const Indexing& indexing, Partial& partial) {
    const std::size_t count = elements.size() / 2;
    for (std::size_t first = 0; first < count; first += kBlock) {
      widened_.resize(std::min(kBlock, count - first));
      for (std::size_t i = 0; i < widened_.size(); ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, elements.data() + 2 * (first + i), 2);
        widened_[i] = widen_half(half);
      }
      block(std::span<const float>(widened_), first, indexing, partial);
    }
  }

  template <class T>
  void block(std::span<const T> values, std::size_t first, const Indexing& indexing,
             Partial& partial) {
    partial.elements += static_cast<std::int64_t>(values.size());
    std::span<const T> numbers = values;  // those that are not NaN
    if constexpr (std::is_floating_point_v<T>) {
      if (!all_finite(values)) numbers = set_apart(values, first, indexing, partial);
      add_reals(spec_.skip_nan ? numbers : values, partial);
    } else {
      if (spec_.sum) partial.integers.sum += sum_of(values.data(), values.size());
      if (spec_.absolute) partial.integers.absolute += absolute_of(values.data(), values.size());
      if (spec_.squares) add_squares(values.data(), values.size(), partial.integers);
    }
    if (spec_.nonzero) {
      const auto counted = spec_.skip_nan ? numbers : values;
      partial.nonzero += count_nonzero(counted.data(), counted.size());
    }
    if (numbers.empty() || !(spec_.extremes || spec_.places)) return;
    const Extremes<T> found = extremes_of(numbers.data(), numbers.size());
    if (spec_.places) add_places(found, values, first, indexing, partial);
    if (spec_.extremes) add_extremes(found, numbers, partial);
  }

  /// Counts what is not finite; returns the numbers without the NaN.
  template <class T>
  std::span<const T> set_apart(std::span<const T> values, std::size_t first,
                               const Indexing& indexing, Partial& partial) {
    const Specials found = count_specials(values);
    partial.nans += found.nans;
    partial.positive_infinities += found.positive_infinities;
    partial.negative_infinities += found.negative_infinities;
    if (found.nans == 0) return values;
    if (spec_.places) {
      const auto is_nan = [](T x) { return std::isnan(x); };
      partial.first_nan = std::min(partial.first_nan, index_of(is_nan, values, first, indexing));
    }
    auto& kept = std::get<std::vector<T>>(kept_);
    kept.clear();
    std::ranges::copy_if(values, std::back_inserter(kept), [](T x) { return !std::isnan(x); });
    return kept;
  }

  template <class T>
  void add_reals(std::span<const T> terms, Partial& partial) const {
    const ExactSums<T>& exact = std::get<ExactSums<T>>(sums_);
    if (spec_.sum && spec_.squares) {
      exact.moments(terms, partial.sum, partial.squares);
    } else if (spec_.sum) {
      exact.sum(terms, partial.sum);
    } else if (spec_.squares) {
      exact.dot(terms, terms, partial.squares);
    }
    if (spec_.absolute) exact.absolute_sum(terms, partial.absolute);
  }

  template <class T>
  using Wide =
      std::conditional_t<std::is_floating_point_v<T>, double,
                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

  template <class T>
  void add_places(const Extremes<T>& found, std::span<const T> values, std::size_t first,
                  const Indexing& indexing, Partial& partial) const {
    // Without the sign of a zero, which makes no difference here.
    const OrderKey least = key_of(static_cast<Wide<T>>(found.least) + Wide<T>{0});
    const OrderKey greatest = key_of(static_cast<Wide<T>>(found.greatest) + Wide<T>{0});
    if (least <= partial.at_least.key && !is_behind(least, partial.at_least, indexing, first)) {
      const auto same = [&](T x) { return x == found.least; };
      partial.offer_least({least, index_of(same, values, first, indexing)});
    }
    if (greatest >= partial.at_greatest.key &&
        !is_behind(greatest, partial.at_greatest, indexing, first)) {
      const auto same = [&](T x) { return x == found.greatest; };
      partial.offer_greatest({greatest, index_of(same, values, first, indexing)});
    }
  }

  template <class T>
  void add_extremes(Extremes<T> found, std::span<const T> numbers, Partial& partial) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (found.least == 0) found.least = has_zero_of_sign(numbers, true) ? T{-0.0} : T{0};
      if (found.greatest == 0) found.greatest = has_zero_of_sign(numbers, false) ? T{0} : T{-0.0};
    }
    partial.least = std::min(partial.least, key_of(static_cast<Wide<T>>(found.least)));
    partial.greatest = std::max(partial.greatest, key_of(static_cast<Wide<T>>(found.greatest)));
  }

  /// Whether an equal element of a block that begins at `first` cannot be the first of its kind.
  static bool is_behind(OrderKey key, const Place& best, const Indexing& indexing,
                        std::size_t first) {
    return key == best.key && indexing.in_order &&
           best.index < indexing.of(static_cast<std::int64_t>(first));
  }

  /// The lowest index of an element that `is_it`.
  template <class T, class Predicate>
  static std::int64_t index_of(const Predicate& is_it, std::span<const T> values, std::size_t first,
                               const Indexing& indexing) {
    std::int64_t lowest = Place::kNowhere;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!is_it(values[i])) continue;
      lowest = std::min(lowest, indexing.of(static_cast<std::int64_t>(first + i)));
      if (indexing.in_order) break;
    }
    return lowest;
  }

  ReductionSpec spec_;
  std::tuple<ExactSums<double>, ExactSums<float>> sums_;
  std::vector<float> widened_;
  std::tuple<std::vector<double>, std::vector<float>> kept_;
};

}  // namespace

std::unique_ptr<Reducer> make_reducer(const ReductionSpec& spec, std::string_view set_name) {
  const std::vector<ExactSumSet> sets = exact_sum_sets();
  auto set = std::ranges::find(sets, set_name, &ExactSumSet::name);
  if (set == sets.end()) set = sets.end() - 1;  // runs everywhere
  return std::make_unique<ArrayReducer>(spec, *set);
}

}  // namespace tessera::device::cpu
