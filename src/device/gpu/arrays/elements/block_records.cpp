#include "device/gpu/arrays/elements/block_records.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "device/gpu/arrays/stream/joined_words.hpp"

namespace tessera::device::gpu {

namespace {

using kernels::Int128;
using kernels::SquareAccumulator;
using kernels::Superaccumulator;
using kernels::TS_U64;
using kernels::TsReduced;
using kernels::UnsignedInt128;

static_assert(TS_SUM_LIMBS == Superaccumulator::kLimbs);
static_assert(TS_SUM_UNIT == -Superaccumulator::kLowestExponent);
static_assert(TS_SQUARES_LIMBS == SquareAccumulator::kLimbs);
static_assert(TS_SQUARES_UNIT == -SquareAccumulator::kLowestExponent);
static_assert(TS_SQUARES_SPILL + TS_SQUARES_LIMBS == TS_SLOT_LIMBS);

struct Counts {
  std::int64_t nans = 0;
  std::int64_t positive_infinities = 0;
  std::int64_t negative_infinities = 0;
};

/// Sums over all blocks.
Counts counts_of(std::span<const TsReduced> records) {
  Counts counts;
  for (const TsReduced& record : records) {
    counts.nans += record.nans;
    counts.positive_infinities += record.positive_infinities;
    counts.negative_infinities += record.negative_infinities;
  }
  return counts;
}

using SumWords = TS_U64 (TsReduced::*)[4];

/// Adds the blocks' sums, the limbs that they spilled from `first_limb` on, and the terms outside
/// the expansions (NaN and infinities).
template <class Sum>
void add_sum(const LaunchResult& result, SumWords words, std::size_t first_limb,
             const Counts& specials, Sum& sum) {
  for (const TsReduced& record : result.records) {
    const TS_U64* const parts = record.*words;
    sum.add(std::bit_cast<double>(parts[0]));
    for (int i = 1; i < 4; ++i) {
      if (parts[i] << 1 != 0) sum.add(std::bit_cast<double>(parts[i]));
    }
  }
  std::array<std::int64_t, Sum::kWords> more{};
  for (std::size_t slot = 0; slot < result.spill.size(); slot += TS_SLOT_LIMBS) {
    for (std::size_t i = 0; i < Sum::kLimbs; ++i) {
      more[i] += static_cast<std::int64_t>(result.spill[slot + first_limb + i]);
    }
  }
  const bool spilled = std::ranges::any_of(more, [](std::int64_t limb) { return limb != 0; });
  more[Sum::kLimbs] = specials.nans;
  more[Sum::kLimbs + 1] = specials.positive_infinities;
  more[Sum::kLimbs + 2] = specials.negative_infinities;
  const bool special =
      specials.nans + specials.positive_infinities + specials.negative_infinities > 0;
  more[Sum::kLimbs + 4] = spilled || special;
  if (spilled || special) sum.merge(Sum::from_words(more));
}

/// Clears the sign of a zero sum: terms may have cancelled, or may have bypassed the expansion,
/// which then still holds -0.0.
template <class Sum>
void clear_zero_sign(Sum& sum) {
  sum.add(0.0);
}

bool any_spilled(std::span<const TsReduced> records) {
  return std::ranges::any_of(records, [](const TsReduced& record) { return record.spilled != 0; });
}

void add_reals(const LaunchResult& result, const statistics::ReductionSpec& spec,
               statistics::Partial& partial) {
  const Counts counts = counts_of(result.records);
  partial.nans += counts.nans;
  partial.positive_infinities += counts.positive_infinities;
  partial.negative_infinities += counts.negative_infinities;
  const std::int64_t terms = result.elements - (spec.skip_nan ? counts.nans : 0);
  if (terms == 0) return;
  Counts specials = counts;
  if (spec.skip_nan) specials.nans = 0;
  if (spec.sum) {
    add_sum(result, &TsReduced::sum, TS_SUM_SPILL, specials, partial.sum);
    if (any_spilled(result.records)) clear_zero_sign(partial.sum);
  }
  specials.positive_infinities += std::exchange(specials.negative_infinities, 0);
  if (spec.absolute) {
    add_sum(result, &TsReduced::absolute, TS_ABSOLUTE_SPILL, specials, partial.absolute);
    clear_zero_sign(partial.absolute);
  }
  if (spec.squares) {
    add_sum(result, &TsReduced::squares, TS_SQUARES_SPILL, specials, partial.squares);
    clear_zero_sign(partial.squares);
  }
}

void add_integers(const LaunchResult& result, const statistics::ReductionSpec& spec,
                  statistics::IntegerSums& sums) {
  for (const TsReduced& record : result.records) {
    if (spec.sum) sums.sum += static_cast<Int128>(joined(record.sum[0], record.sum[1]));
    if (spec.absolute) sums.absolute += joined(record.absolute[0], record.absolute[1]);
    if (!spec.squares) continue;
    sums.squares_low += joined(record.squares[0], record.squares[1]);
    sums.squares_high += joined(record.squares[2], record.squares[3]);
  }
}

/// The index in a block's record; kNowhere if the block had no such element.
std::int64_t index_of(TS_U64 at) {
  return at == TS_NOWHERE ? statistics::ExtremeIndex::kNowhere : static_cast<std::int64_t>(at);
}

}  // namespace

void add_counts_and_sums(const LaunchResult& result, const statistics::ReductionSpec& spec,
                         statistics::Partial& partial) {
  partial.elements += result.elements;
  if (base::is_floating(spec.type)) {
    add_reals(result, spec, partial);
  } else {
    add_integers(result, spec, partial.integers);
  }
  for (const TsReduced& record : result.records) {
    if (spec.nonzero) partial.nonzero += record.nonzero;
    if (!spec.extremes) continue;
    partial.least = std::min(partial.least, record.least);
    partial.greatest = std::max(partial.greatest, record.greatest);
  }
}

void add_pairs(const LaunchResult& result, bool real, statistics::PairSums& sums) {
  if (!real) {
    for (const TsReduced& record : result.records) {
      sums.integers.low += joined(record.squares[0], record.squares[1]);
      sums.integers.high += static_cast<Int128>(joined(record.squares[2], record.squares[3]));
    }
    return;
  }
  const auto terms = [](const TsReduced& record) { return record.nonzero != 0; };
  if (std::ranges::none_of(result.records, terms)) return;
  add_sum(result, &TsReduced::squares, TS_SQUARES_SPILL, counts_of(result.records), sums.reals);
  if (any_spilled(result.records)) clear_zero_sign(sums.reals);
}

LaunchIndices extreme_indices(std::span<const TsReduced> records) {
  statistics::Partial found;
  for (const TsReduced& record : records) {
    found.offer_least({record.min_key, index_of(record.least_at)});
    found.offer_greatest({record.greatest_key, index_of(record.greatest_at)});
    found.first_nan = std::min(found.first_nan, index_of(record.first_nan));
  }
  return {found.at_least, found.at_greatest, found.first_nan};
}

}  // namespace tessera::device::gpu
