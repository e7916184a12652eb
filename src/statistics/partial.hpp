// What a device makes of the elements of an array: a partial result, which is the same whatever the
// order, and which merges with others to the same answer in any order.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "base/element.hpp"
#include "base/missing_markers.hpp"
#include "job/arrays/operations.hpp"
#include "kernels/exact/product.hpp"
#include "kernels/exact/superaccumulator.hpp"
#include "statistics/histogram.hpp"

namespace tessera::statistics {

/// What a partial result has to hold; elements and NaN and infinities among them are always
/// counted.
struct ReductionSpec {
  base::ElementType type = base::ElementType::f64;
  bool sum = false;
  bool absolute = false;  ///< the sum of |x|
  bool product = false;
  bool squares = false;
  bool cubes = false;
  bool fourths = false;  ///< the sum of fourth powers
  bool extremes = false;
  bool places = false;  ///< where the extremes are
  bool nonzero = false;
  bool skip_nan = false;
  bool products = false;                                 ///< with the elements of a second array
  base::ElementType with_type = base::ElementType::f64;  ///< of that

  /// Of what the sums are, if elements are pairs of numbers (statistics/number_pairs.hpp).
  job::Pairing pairing = job::Pairing::none;

  bool has_sums() const { return sum || absolute || squares; }
  /// Of third and higher powers, which device/powers/power_reducers.hpp adds for all devices.
  bool has_powers() const { return cubes || fourths; }
  ReductionSpec without_powers() const {
    ReductionSpec spec = *this;
    spec.cubes = spec.fourths = false;
    return spec;
  }

  friend bool operator==(const ReductionSpec&, const ReductionSpec&) = default;
};

/// An element of any type as a number that has the order of the elements: -0.0 comes before +0.0.
/// Of floats, the key of the f64 with the same value; NaN have none.
using OrderKey = std::uint64_t;
inline constexpr OrderKey kKeySign = OrderKey{1} << 63;
// Inline, because every element and every key of --by goes through one of them.
inline OrderKey key_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return (bits & kKeySign) != 0 ? ~bits : bits | kKeySign;
}
inline OrderKey key_of(std::int64_t x) {
  return static_cast<std::uint64_t>(x) ^ kKeySign;
}
inline OrderKey key_of(std::uint64_t x) {
  return x;
}
inline double real_of(OrderKey key) {
  return std::bit_cast<double>((key & kKeySign) != 0 ? key & ~kKeySign : ~key);
}
inline std::int64_t signed_of(OrderKey key) {
  return static_cast<std::int64_t>(key ^ kKeySign);
}

/// Of equal elements (-0.0 is equal to +0.0) the one with the lowest index.
struct ExtremeIndex {
  OrderKey key = 0;
  std::int64_t index = kNowhere;
  static constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();
};

/// The lesser, or greater, of two; for equal keys the one with the lower index.
ExtremeIndex first_least(const ExtremeIndex& a, const ExtremeIndex& b);
ExtremeIndex first_greatest(const ExtremeIndex& a, const ExtremeIndex& b);

/// Sums over integers: exact, for up to 2^63 elements.
struct IntegerSums {
  kernels::Int128 sum = 0;
  kernels::UnsignedInt128 absolute = 0;
  // Of the lower and of the upper 64 bits of each square.
  kernels::UnsignedInt128 squares_low = 0;
  kernels::UnsignedInt128 squares_high = 0;

  void merge(const IntegerSums& other);
};

/// A sum of products of two integers: high * 2^64 + low. Exact, for up to 2^63 of them.
struct IntegerProducts {
  kernels::UnsignedInt128 low = 0;
  kernels::Int128 high = 0;

  template <class A, class B>
  void add(A a, B b) {
    if constexpr (std::is_unsigned_v<A> && std::is_unsigned_v<B>) {
      const auto product = static_cast<kernels::UnsignedInt128>(a) * b;
      low += static_cast<std::uint64_t>(product);
      high += static_cast<std::uint64_t>(product >> 64);
    } else {
      const auto product = static_cast<kernels::Int128>(a) * b;
      low += static_cast<std::uint64_t>(product);
      high += static_cast<std::int64_t>(product >> 64);
    }
  }
};

/// Elements that are not there: attributes of the array, or --missing, say so.
struct MissingCounts {
  std::int64_t fill = 0;   ///< by _FillValue, missing_value or --missing
  std::int64_t range = 0;  ///< outside of what is valid

  /// Of elements that have the bits of the markers; both may have the same.
  static MissingCounts of(std::int64_t fills, std::int64_t ranges,
                          const base::MissingMarkers& markers) {
    if (markers.fill != markers.range) return {fills, ranges};
    return markers.has_fill ? MissingCounts{fills, 0} : MissingCounts{0, ranges};
  }
  std::int64_t total() const { return fill + range; }
  MissingCounts& operator+=(const MissingCounts& other) {
    fill += other.fill;
    range += other.range;
    return *this;
  }
};

/// What the products of two arrays add up to: of arrays of integers as integers.
struct PairSums {
  kernels::SquareAccumulator reals;
  IntegerProducts integers;
};

/// Trivially copyable, so that it travels between ranks as it is.
struct Partial {
  std::int64_t elements = 0;  ///< NaN among them
  MissingCounts missing;      ///< beside the elements
  std::int64_t nans = 0;
  std::int64_t positive_infinities = 0;
  std::int64_t negative_infinities = 0;
  std::int64_t nonzero = 0;  ///< NaN among them, unless they are skipped
  std::int64_t first_nan = ExtremeIndex::kNowhere;
  OrderKey least = std::numeric_limits<OrderKey>::max();
  OrderKey greatest = 0;
  ExtremeIndex at_least{.key = std::numeric_limits<OrderKey>::max()};
  ExtremeIndex at_greatest;
  IntegerSums integers;           ///< of arrays of integers
  kernels::Superaccumulator sum;  ///< of arrays of floats, as the next two are
  kernels::Superaccumulator absolute;
  kernels::SquareAccumulator squares;
  kernels::CubeAccumulator cubes;  ///< of arrays of any type, as the next one is
  kernels::FourthPowerAccumulator fourths;
  kernels::Product product;  ///< of arrays of any type, as f64
  PairSums pairs;

  void merge(const Partial& other);
  /// Places in a part, whose first element is number `first` of the whole, become places in the
  /// whole.
  void move_places(std::int64_t first);
  /// The index of an element whose key, with that of +0.0 for -0.0, is `key`.
  void offer_least(const ExtremeIndex& place) { at_least = first_least(at_least, place); }
  void offer_greatest(const ExtremeIndex& place) {
    at_greatest = first_greatest(at_greatest, place);
  }
};

/// Calls visit(member of Partial, its flag) with each sum of third or higher powers.
template <class Visit>
void for_each_power_sum(const Visit& visit) {
  visit(&Partial::cubes, &ReductionSpec::cubes);
  visit(&Partial::fourths, &ReductionSpec::fourths);
}

/// Which element of the array, counted in C order, an element of a piece is.
struct Indexing {
  std::function<std::int64_t(std::int64_t)> of;
  bool in_order = true;  ///< of() grows
};

}  // namespace tessera::statistics
