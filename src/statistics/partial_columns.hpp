// The columns that partial results of many outputs and of many groups share: one number, or one
// exact sum, for each output or group. A new component is a member and a line in
// for_each_column().
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.hpp"
#include "base/element.hpp"
#include "statistics/partial.hpp"

namespace tessera::statistics {

/// A column with one number for each output.
template <class All, class T, class Combine>
struct NumberColumn {
  std::vector<T> All::*all;
  T Partial::*one;  ///< null if a Partial has none
  bool (*requested)(const ReductionSpec&);
  Combine combine;
  /// Empty while all counts are 0.
  bool sparse = false;

  T identity() const { return one == nullptr ? T{} : Partial().*one; }
};

// Clang before 17 deduces no arguments of aggregates by itself.
template <class All, class T, class Combine>
NumberColumn(std::vector<T> All::*, T Partial::*, bool (*)(const ReductionSpec&), Combine,
             bool = false) -> NumberColumn<All, T, Combine>;

/// A column with one exact sum for each output.
template <class All, class Store, class Sum>
struct SumColumn {
  Store All::*all;
  Sum Partial::*one;
  bool ReductionSpec::*flag;
  /// Third and higher ones.
  static constexpr bool kIsPower = Sum::kPower > 2;

  bool requested(const ReductionSpec& spec) const {
    return spec.*flag && (Store::kHoldsIntegers || kIsPower || base::is_floating(spec.type));
  }
  /// Other sums of integers have members of their own in a Partial.
  bool in_partial(const ReductionSpec& spec) const {
    return spec.*flag && (kIsPower || base::is_floating(spec.type));
  }
};

template <class All, class Store, class Sum>
SumColumn(Store All::*, Sum Partial::*, bool ReductionSpec::*) -> SumColumn<All, Store, Sum>;

/// `Self` derives from this class and may have columns of its own. `Store` contains the sums of all
/// outputs. Columns that the spec does not ask for are empty.
template <class Self, template <class Sum> class Store>
struct PartialColumns {
  // Empty while there are none.
  std::vector<std::int64_t> nans;
  std::vector<std::int64_t> positive_infinities;
  std::vector<std::int64_t> negative_infinities;
  std::vector<std::int64_t> nonzero;
  std::vector<std::int64_t> first_nan;
  std::vector<OrderKey> least;
  std::vector<OrderKey> greatest;
  std::vector<ExtremeIndex> at_least;
  std::vector<ExtremeIndex> at_greatest;
  Store<kernels::Superaccumulator> sum;
  Store<kernels::Superaccumulator> absolute;
  Store<kernels::SquareAccumulator> squares;
  Store<kernels::CubeAccumulator> cubes;
  Store<kernels::FourthPowerAccumulator> fourths;

  /// Calls numbers() or sums() with each column, in the order in which write() writes them.
  template <class OfNumbers, class OfSums>
  static void for_each_column(const OfNumbers& numbers, const OfSums& sums) {
    using Spec = ReductionSpec;
    constexpr auto kLower = [](const auto& a, const auto& b) { return std::min(a, b); };
    constexpr auto kHigher = [](const auto& a, const auto& b) { return std::max(a, b); };
    constexpr auto kNever = [](const Spec&) { return false; };
    constexpr auto kNonzero = [](const Spec& spec) { return spec.nonzero; };
    constexpr auto kExtremes = [](const Spec& spec) { return spec.extremes; };
    constexpr auto kPlaces = [](const Spec& spec) { return spec.places; };
    constexpr std::plus<> kAdded;
    Self::for_each_own_column(numbers);
    numbers(NumberColumn{&Self::nans, &Partial::nans, kNever, kAdded, true});
    numbers(NumberColumn{&Self::positive_infinities, &Partial::positive_infinities, kNever, kAdded,
                         true});
    numbers(NumberColumn{&Self::negative_infinities, &Partial::negative_infinities, kNever, kAdded,
                         true});
    numbers(NumberColumn{&Self::nonzero, &Partial::nonzero, kNonzero, kAdded});
    numbers(NumberColumn{&Self::first_nan, &Partial::first_nan, kPlaces, kLower});
    numbers(NumberColumn{&Self::least, &Partial::least, kExtremes, kLower});
    numbers(NumberColumn{&Self::greatest, &Partial::greatest, kExtremes, kHigher});
    numbers(NumberColumn{&Self::at_least, &Partial::at_least, kPlaces, first_least});
    numbers(NumberColumn{&Self::at_greatest, &Partial::at_greatest, kPlaces, first_greatest});
    for_each_sum(sums);
  }
  template <class OfSums>
  static void for_each_sum(const OfSums& sums) {
    using Spec = ReductionSpec;
    sums(SumColumn{&Self::sum, &Partial::sum, &Spec::sum});
    sums(SumColumn{&Self::absolute, &Partial::absolute, &Spec::absolute});
    sums(SumColumn{&Self::squares, &Partial::squares, &Spec::squares});
    for_each_power(sums);
  }
  template <class OfSums>
  static void for_each_power(const OfSums& sums) {
    using Spec = ReductionSpec;
    sums(SumColumn{&Self::cubes, &Partial::cubes, &Spec::cubes});
    sums(SumColumn{&Self::fourths, &Partial::fourths, &Spec::fourths});
  }

  void clear_columns() {
    for_each_column([&](const auto& column) { (self().*column.all).clear(); },
                    [&](const auto& column) { (self().*column.all).clear(); });
  }
  /// Adds outputs without elements until there are `count`.
  void grow_columns(const ReductionSpec& spec, std::size_t count) {
    for_each_column(
        [&](const auto& column) {
          auto& values = self().*column.all;
          if (column.sparse ? !values.empty() : column.requested(spec)) {
            values.resize(count, column.identity());
          }
        },
        [&](const auto& column) {
          if (column.requested(spec)) (self().*column.all).grow(count);
        });
  }

  /// Output i of `other` is the output position(i) of the `count` that are here.
  template <std::invocable<std::size_t> Position>
  void merge_columns(const Self& other, std::size_t count, const Position& position) {
    for_each_column(
        [&](const auto& column) {
          auto& into = self().*column.all;
          const auto& from = other.*column.all;
          if (from.empty()) return;
          if (into.empty()) into.resize(count, column.identity());
          for (std::size_t i = 0; i < from.size(); ++i) {
            into[position(i)] = column.combine(into[position(i)], from[i]);
          }
        },
        [&](const auto& column) { (self().*column.all).merge(other.*column.all, position); });
  }

  /// `sum_of` returns the sum of the output in a column of sums.
  template <class SumOf>
  void copy_to(Partial& one, const ReductionSpec& spec, std::size_t output,
               const SumOf& sum_of) const {
    for_each_column(
        [&](const auto& column) {
          const auto& values = self().*column.all;
          if (column.one != nullptr && !values.empty()) one.*column.one = values[output];
        },
        [&](const auto& column) {
          if (column.in_partial(spec)) one.*column.one = sum_of(self().*column.all);
        });
  }
  /// For an output without elements so far, of `count`. Of the sums, adds the finite part.
  void put_columns(const ReductionSpec& spec, std::size_t count, std::size_t output,
                   const Partial& one) {
    for_each_column(
        [&](const auto& column) {
          auto& values = self().*column.all;
          if (column.sparse && values.empty()) values.resize(count, column.identity());
          if (column.one != nullptr && !values.empty()) values[output] = one.*column.one;
        },
        [&](const auto& column) {
          if (!column.in_partial(spec)) return;
          (self().*column.all).add(static_cast<std::int64_t>(output), one.*column.one);
        });
  }

  void write_columns(base::ByteWriter& to) const {
    const auto write_one = [&](const auto& column) { to.put(self().*column.all); };
    for_each_column(write_one, write_one);
  }
  void read_columns(base::ByteReader& from) {
    const auto read_one = [&](const auto& column) { from.read(self().*column.all); };
    for_each_column(read_one, read_one);
  }

  /// Bytes of the columns that are there for each output.
  static std::uint64_t column_bytes_each(const ReductionSpec& spec) {
    std::uint64_t bytes = 0;
    for_each_column(
        [&](const auto& column) {
          if (column.requested(spec)) bytes += sizeof(column.identity());
        },
        [&](const auto& column) {
          if (column.requested(spec)) bytes += sum_bytes(column.all);
        });
    return bytes;
  }

 private:
  template <class All, class Sums>
  static constexpr std::size_t sum_bytes(Sums All::*) {
    return Sums::kBytesEach;
  }
  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace tessera::statistics
