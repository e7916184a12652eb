// Converts f64 to terms of exact sums of groups, for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// Writes keys[i] - first. False if one of these is not below `count`, which is at most 2^32; the
/// groups mean nothing then.
using NumberKeys = bool (*)(std::span<const statistics::GroupKey> keys, statistics::GroupKey first,
                            std::uint64_t count, std::uint32_t* groups);

struct GroupTermsSet {
  std::string name;  ///< "avx2": the part after "cpu:" in a device name
  SplitTerms split;
  NumberKeys number;
};

/// Those of the instruction set, or the ones that run everywhere if its name is unknown.
GroupTermsSet group_terms_of(std::string_view set_name);

}  // namespace tessera::device::cpu
