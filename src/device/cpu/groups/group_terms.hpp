// Converts f64 to terms of exact sums of groups, and adds them to cells of groups, for each
// instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "statistics/group_partials.hpp"

namespace tessera::device::cpu {

/// Terms in units of the window as two's complement numbers of 128 bits.
struct GroupTerms {
  std::uint64_t* low;
  std::uint64_t* high;
  std::uint16_t* outside;  ///< the terms that are 0 here, because they are not in the window
};

/// Writes a term for each x. Those outside of the window, -0.0 among them, are 0, and their indices
/// go to `outside`. Returns how many these are.
using SplitTerms = std::size_t (*)(std::span<const double> x, const statistics::SumWindow& window,
                                   const GroupTerms& terms);

/// The sum of up to 2^32 terms and their number, as one vector: an element costs one load and one
/// store. The sum is words[0] + words[1] * 2^32 + words[2] * 2^64, modulo 2^128.
struct alignas(32) GroupCell {
  std::array<std::uint64_t, 4> words{};

  std::uint64_t count() const { return words[3]; }
  kernels::UnsignedInt128 sum() const {
    return words[0] + (static_cast<kernels::UnsignedInt128>(words[1]) << 32) +
           (static_cast<kernels::UnsignedInt128>(words[2]) << 64);
  }
};

/// Adds each x to the cell of its group, which is cells[groups[i] - first_group]. Terms as those of
/// SplitTerms. Returns how many are outside.
using AddToCells = std::size_t (*)(std::span<const double> x, std::span<const std::uint32_t> groups,
                                   std::uint32_t first_group, const statistics::SumWindow& window,
                                   GroupCell* cells, std::uint16_t* outside);

/// Writes keys[i] - first. False if one of these is not below `count`, which is at most 2^32; the
/// groups mean nothing then.
using NumberKeys = bool (*)(std::span<const statistics::GroupKey> keys, statistics::GroupKey first,
                            std::uint64_t count, std::uint32_t* groups);

struct GroupTermsSet {
  SplitTerms split;
  AddToCells add_to_cells;
  NumberKeys number;
};

/// Specialised for each of Highway's targets.
template <std::int64_t kTarget>
GroupTermsSet group_terms_set();

}  // namespace tessera::device::cpu
