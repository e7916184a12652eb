// Reductions block by block: a pass over a block in the first cache for each thing that is wanted,
// in loops that become vectors.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "device/cpu/cpu.hpp"
#include "device/half.hpp"
#include "device/scalar_reduction.hpp"

namespace tessera::device::cpu {

namespace {

/// 32 KiB of f64. Sums of so many numbers of 32 bits fit into 64.
constexpr std::size_t kBlock = 4096;
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
bool all_finite(const T* values, std::size_t n) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  Bits found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Bits exponent = std::bit_cast<Bits>(values[i]) & infinity;
    found |= exponent == infinity ? 1 : 0;
  }
  return found == 0;
}

template <class T>
bool has_zero_of_sign(const T* values, std::size_t n, bool negative) {
  return std::any_of(values, values + n,
                     [=](T x) { return x == 0 && std::signbit(x) == negative; });
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

class ArrayReducer : public Reducer {
 public:
  explicit ArrayReducer(const ReductionSpec& spec) : spec_(spec), scalar_(spec) {}

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

 private:
  template <class T>
  void blocks(std::span<const std::byte> elements, const Indexing& indexing, Partial& partial) {
    const T* values = reinterpret_cast<const T*>(elements.data());
    const std::size_t count = elements.size() / sizeof(T);
    for (std::size_t first = 0; first < count; first += kBlock) {
      block(values + first, std::min(kBlock, count - first), first, indexing, partial);
    }
  }

  void halves(std::span<const std::byte> elements, const Indexing& indexing, Partial& partial) {
    std::array<float, kBlock> wide;
    const std::size_t count = elements.size() / 2;
    for (std::size_t first = 0; first < count; first += kBlock) {
      const std::size_t n = std::min(kBlock, count - first);
      for (std::size_t i = 0; i < n; ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, elements.data() + 2 * (first + i), 2);
        wide[i] = widen_half(half);
      }
      block(wide.data(), n, first, indexing, partial);
    }
  }

  template <class T>
  void block(const T* values, std::size_t n, std::size_t first, const Indexing& indexing,
             Partial& partial) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!all_finite(values, n)) return one_by_one(values, n, first, indexing, partial);
      if (spec_.sum) {
        for (std::size_t i = 0; i < n; ++i) partial.sum.add(values[i]);
      }
      if (spec_.absolute) {
        for (std::size_t i = 0; i < n; ++i) partial.absolute.add(std::abs(values[i]));
      }
      if (spec_.squares) {
        for (std::size_t i = 0; i < n; ++i) partial.squares.add_product(values[i], values[i]);
      }
    } else {
      if (spec_.sum) partial.integers.sum += sum_of(values, n);
      if (spec_.absolute) partial.integers.absolute += absolute_of(values, n);
      if (spec_.squares) add_squares(values, n, partial.integers);
    }
    partial.elements += static_cast<std::int64_t>(n);
    if (spec_.nonzero) partial.nonzero += count_nonzero(values, n);
    if (spec_.extremes || spec_.places) order(values, n, first, indexing, partial);
  }

  template <class T>
  void one_by_one(const T* values, std::size_t n, std::size_t first, const Indexing& indexing,
                  Partial& partial) const {
    for (std::size_t i = 0; i < n; ++i) {
      scalar_.add_real(
          values[i], [&] { return indexing.of(static_cast<std::int64_t>(first + i)); }, partial);
    }
  }

  template <class T>
  void order(const T* values, std::size_t n, std::size_t first, const Indexing& indexing,
             Partial& partial) {
    using Integer = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double, Integer>;
    Extremes<T> found = extremes_of(values, n);
    if (spec_.places) {
      // Without the sign of a zero, which makes no difference here.
      const OrderKey least = key_of(static_cast<Wide>(found.least) + Wide{0});
      const OrderKey greatest = key_of(static_cast<Wide>(found.greatest) + Wide{0});
      if (least <= partial.at_least.key && !is_behind(least, partial.at_least, indexing, first)) {
        partial.offer_least({least, index_of(found.least, values, n, first, indexing)});
      }
      if (greatest >= partial.at_greatest.key &&
          !is_behind(greatest, partial.at_greatest, indexing, first)) {
        partial.offer_greatest({greatest, index_of(found.greatest, values, n, first, indexing)});
      }
    }
    if (!spec_.extremes) return;
    if constexpr (std::is_floating_point_v<T>) {
      if (found.least == 0) found.least = has_zero_of_sign(values, n, true) ? T{-0.0} : T{0};
      if (found.greatest == 0) found.greatest = has_zero_of_sign(values, n, false) ? T{0} : T{-0.0};
    }
    partial.least = std::min(partial.least, key_of(static_cast<Wide>(found.least)));
    partial.greatest = std::max(partial.greatest, key_of(static_cast<Wide>(found.greatest)));
  }

  /// Whether an equal element of a block that begins at `first` cannot be the first of its kind.
  static bool is_behind(OrderKey key, const Place& best, const Indexing& indexing,
                        std::size_t first) {
    return key == best.key && indexing.in_order &&
           best.index < indexing.of(static_cast<std::int64_t>(first));
  }

  /// The lowest index of an element that equals `value`.
  template <class T>
  static std::int64_t index_of(T value, const T* values, std::size_t n, std::size_t first,
                               const Indexing& indexing) {
    std::int64_t lowest = Place::kNowhere;
    for (std::size_t i = 0; i < n; ++i) {
      if (values[i] != value) continue;
      lowest = std::min(lowest, indexing.of(static_cast<std::int64_t>(first + i)));
      if (indexing.in_order) break;
    }
    return lowest;
  }

  ReductionSpec spec_;
  ScalarReduction scalar_;
};

}  // namespace

std::unique_ptr<Reducer> make_reducer(const ReductionSpec& spec) {
  return std::make_unique<ArrayReducer>(spec);
}

}  // namespace tessera::device::cpu
