// Exact sums of many groups in a few bytes each: integers in units of a power of two, which hold
// the terms of a window of exponents. Terms outside go to an accumulator of their group.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "kernels/exact/superaccumulator.hpp"

namespace tessera::statistics {

/// Exponent fields of f64, [first, first + count), whose numbers a sum of words can hold.
struct SumWindow {
  int first = 1;
  int count = 1;

  /// The window that ends above `largest_field`, as wide as sums of up to `terms` terms allow.
  static SumWindow below(int largest_field, std::int64_t terms);
  /// The window of integers, whose unit is 1.
  static constexpr SumWindow of_integers() { return {.first = 1075, .count = 1}; }
  /// Whether sums of words can hold x, a finite number that is not 0.
  bool holds(double x) const {
    const auto field = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
    return static_cast<unsigned>(std::max(field, 1) - first) < static_cast<unsigned>(count);
  }
  /// How many of `x` are finite, not 0, and outside: their groups need accumulators.
  std::size_t count_outside(std::span<const double> x) const {
    std::size_t outside = 0;
    for (const double one : x) {
      const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(one) << 1;
      const bool special = magnitude == 0 || magnitude >= std::uint64_t{0x7ff} << 53;
      outside += !special && !holds(one) ? 1 : 0;
    }
    return outside;
  }
  /// The exponent of the unit of sums: that of the last bit of a number with the field `first`.
  int unit() const { return first - 1075; }
};

/// A two's complement number, lowest word first.
template <std::size_t kWords>
using SumWords = std::array<std::uint64_t, kWords>;

template <std::size_t kWords>
inline void add_words(SumWords<kWords>& to, const SumWords<kWords>& more) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < kWords; ++i) {
    const auto sum = static_cast<kernels::UnsignedInt128>(to[i]) + more[i] + carry;
    to[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
}

/// The sums of all groups. `Sum` is one of kernels::ExactSum; it holds every term.
template <class Sum>
struct GroupSums {
  static constexpr std::size_t kWords = 2 * Sum::kPower;
  using Words = SumWords<kWords>;
  static constexpr bool kHoldsIntegers = true;
  static constexpr std::size_t kBytesEach = sizeof(Words);  ///< and what `rest` takes
  std::vector<Words> words;                                 ///< by group; empty = not requested
  std::map<std::uint32_t, Sum> rest;  ///< by group: the terms outside of the window

  void clear() {
    words.clear();
    rest.clear();
  }
  void grow(std::size_t groups) { words.resize(groups); }

  template <class Position>
  void merge(const GroupSums& other, const Position& position) {
    for (std::size_t g = 0; g < other.words.size(); ++g) {
      add_words(words[position(g)], other.words[g]);
    }
    for (const auto& [group, sum] : other.rest) rest[position(group)].merge(sum);
  }

  /// The finite part of the sum of a group without terms so far.
  void add(std::int64_t group, const Sum& sum) {
    std::array<std::int64_t, Sum::kWords> all;
    sum.to_words(all);
    std::fill_n(all.begin() + Sum::kLimbs, 3, 0);
    rest[static_cast<std::uint32_t>(group)] = Sum::from_words(all);
  }

  /// Adds a number of up to kPower words, lowest first, times 2^exponent.
  template <std::size_t kSome>
  void add_words_of(std::size_t group, const SumWords<kSome>& some, int exponent, bool negative,
                    const SumWindow& window) {
    const auto shift = static_cast<unsigned>(exponent - Sum::kPower * window.unit());
    if (shift > static_cast<unsigned>(Sum::kPower * (window.count - 1))) {
      rest[static_cast<std::uint32_t>(group)].add_words(some, exponent, negative);
      return;
    }
    Words more = shifted(some, shift);
    if (negative) negate(more);
    add_words(words[group], more);
  }
  /// Adds x^kPower to the sum of a group.
  void add_power(std::size_t group, const kernels::ExactTerm& x, const SumWindow& window) {
    if (x.magnitude == 0) return;
    const auto shift = static_cast<unsigned>(x.exponent - window.unit());
    if (shift >= static_cast<unsigned>(window.count)) {
      rest[static_cast<std::uint32_t>(group)].add_power(x);
      return;
    }
    Words more = shifted(kernels::power_words<Sum::kPower>(x.magnitude), Sum::kPower * shift);
    if (x.negative && Sum::kPower % 2 == 1) negate(more);
    add_words(words[group], more);
  }

  /// The exact sum of a group of floats, or of powers of integers.
  Sum sum(std::size_t group, const SumWindow& window) const {
    Sum all;
    add_to(all, words[group], Sum::kPower * window.unit());
    const auto found = rest.find(static_cast<std::uint32_t>(group));
    if (found != rest.end()) all.merge(found->second);
    return all;
  }

  void write(base::ByteWriter& to) const { to.put(words, rest); }
  void read(base::ByteReader& from) {
    from.read(words);
    from.read(rest);
  }

 private:
  static void negate(Words& number) {
    for (std::uint64_t& word : number) word = ~word;
    add_words(number, Words{1});
  }
  template <std::size_t kSome>
  static Words shifted(const SumWords<kSome>& number, std::size_t bits) {
    Words all{};
    const std::size_t bit = bits % 64;
    for (std::size_t i = 0, at = bits / 64; i < kSome && at < kWords; ++i, ++at) {
      all[at] |= number[i] << bit;
      if (at + 1 < kWords) all[at + 1] = number[i] >> 1 >> (63 - bit);
    }
    return all;
  }
  static void add_to(Sum& all, Words magnitude, int unit) {
    const bool negative = magnitude.back() >> 63 != 0;
    if (negative) negate(magnitude);
    for (std::size_t i = 0; i < 2 * kWords; ++i) {
      const auto half = static_cast<std::int64_t>(magnitude[i / 2] >> (32 * (i % 2)) & 0xffffffff);
      if (half == 0) continue;
      all.add_scaled(negative ? -half : half, unit + static_cast<int>(32 * i));
    }
  }
};

}  // namespace tessera::statistics
