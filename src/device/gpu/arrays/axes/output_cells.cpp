#include "device/gpu/arrays/axes/output_cells.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "device/gpu/arrays/stream/joined_words.hpp"

namespace tessera::device::gpu {
namespace {

using kernels::Int128;
using kernels::TS_U64;
using kernels::TsReduced;
using kernels::UnsignedInt128;

constexpr TS_U64 kNegativeZero = TS_U64{1} << 63;

/// Adds a finite f64, given by its bits.
template <class Sum>
void add_real(statistics::LimbColumns<Sum>& sum, std::int64_t output, TS_U64 bits) {
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  const auto fraction = static_cast<std::int64_t>(bits & 0xfffffffffffff);
  const std::int64_t magnitude = field == 0 ? fraction : fraction | std::int64_t{1} << 52;
  sum.add_scaled(output, bits >> 63 != 0 ? -magnitude : magnitude, std::max(field, 1) - 1075);
}

/// Adds what one output spilled for this kind of sum.
template <class Sum>
void add_limbs(statistics::LimbColumns<Sum>& sum, std::int64_t output,
               std::span<const TS_U64> limbs) {
  std::array<std::int64_t, Sum::kWords> words{};
  for (std::size_t i = 0; i < Sum::kLimbs; ++i) words[i] = static_cast<std::int64_t>(limbs[i]);
  words[Sum::kLimbs + 4] = 1;  // marks that there were terms
  sum.add(output, Sum::from_words(words));
}

/// The valid cells of one output.
class OutputCells {
 public:
  OutputCells(const CellsResult& result, std::int64_t outputs, std::int64_t output)
      : output_(output) {
    for (std::int64_t at = output; at < static_cast<std::int64_t>(result.cells.size());
         at += outputs) {
      const TsReduced& cell = result.cells[static_cast<std::size_t>(at)];
      if (cell.round == result.round) cells_.push_back(&cell);
    }
  }

  const std::vector<const TsReduced*>& all() const { return cells_; }
  bool spilled() const {
    return std::ranges::any_of(cells_, [](const TsReduced* cell) { return cell->spilled != 0; });
  }

  /// Adds the expansions to `sum`. True if there was a term other than -0.0.
  template <class Sum>
  bool add_sum(TS_U64 (TsReduced::*words)[4], statistics::LimbColumns<Sum>& sum) const {
    bool other = false;
    for (const TsReduced* cell : cells_) {
      const TS_U64* const parts = cell->*words;
      if (parts[0] == kNegativeZero) continue;  // the other words are zero, too
      other = true;
      add_real(sum, output_, parts[0]);
      for (int i = 1; i < 4; ++i) {
        if (parts[i] << 1 != 0) add_real(sum, output_, parts[i]);
      }
    }
    return other;
  }

 private:
  std::int64_t output_;
  std::vector<const TsReduced*> cells_;
};

class Adder {
 public:
  Adder(const CellsResult& result, const statistics::OutputSpec& output_spec,
        statistics::OutputPartials& to)
      : result_(result), output_spec_(output_spec), to_(to), spill_(spill_of(output_spec.spec)) {}

  void add() {
    for (std::int64_t output = 0; output < to_.outputs; ++output) {
      const OutputCells cells(result_, to_.outputs, output);
      for (const TsReduced* cell : cells.all()) add_order(*cell, static_cast<std::size_t>(output));
      if (base::is_floating(output_spec_.spec.type)) {
        add_reals(cells, output);
      } else {
        for (const TsReduced* cell : cells.all()) {
          add_integers(*cell, static_cast<std::size_t>(output));
        }
      }
    }
    for (std::size_t i = 0; i < to_.histogram.size(); ++i) {
      to_.histogram[i] += static_cast<std::int64_t>(result_.bins[i]);
    }
  }

 private:
  void add_order(const TsReduced& cell, std::size_t at) {
    const statistics::ReductionSpec& spec = output_spec_.spec;
    if (spec.nonzero) to_.nonzero[at] += cell.nonzero;
    if (spec.extremes) {
      to_.least[at] = std::min(to_.least[at], cell.least);
      to_.greatest[at] = std::max(to_.greatest[at], cell.greatest);
    }
    if (!spec.places) return;
    const auto index_of = [](TS_U64 place) {
      return place == TS_NOWHERE ? statistics::ExtremeIndex::kNowhere
                                 : static_cast<std::int64_t>(place);
    };
    to_.first_nan[at] = std::min(to_.first_nan[at], index_of(cell.first_nan));
    to_.at_least[at] = first_least(to_.at_least[at], {cell.min_key, index_of(cell.least_at)});
    to_.at_greatest[at] =
        first_greatest(to_.at_greatest[at], {cell.greatest_key, index_of(cell.greatest_at)});
  }

  void add_integers(const TsReduced& cell, std::size_t at) {
    if (to_.integers.empty()) return;
    statistics::IntegerSums& sums = to_.integers[at];
    if (output_spec_.spec.sum) sums.sum += static_cast<Int128>(joined(cell.sum[0], cell.sum[1]));
    if (output_spec_.spec.absolute) sums.absolute += joined(cell.absolute[0], cell.absolute[1]);
    if (!output_spec_.spec.squares) return;
    sums.squares_low += joined(cell.squares[0], cell.squares[1]);
    sums.squares_high += joined(cell.squares[2], cell.squares[3]);
  }

  void count(std::vector<std::int64_t>& counts, std::int64_t output, std::int64_t number) {
    if (number == 0) return;
    if (counts.empty()) counts.assign(static_cast<std::size_t>(to_.outputs), 0);
    counts[static_cast<std::size_t>(output)] += number;
  }

  void add_reals(const OutputCells& cells, std::int64_t output) {
    std::int64_t finite = result_.terms;
    for (const TsReduced* cell : cells.all()) {
      count(to_.nans, output, cell->nans);
      count(to_.positive_infinities, output, cell->positive_infinities);
      count(to_.negative_infinities, output, cell->negative_infinities);
      finite -= std::int64_t{cell->nans} + cell->positive_infinities + cell->negative_infinities;
    }
    if (finite == 0) return;
    const statistics::ReductionSpec& spec = output_spec_.spec;
    const bool spilled = cells.spilled();
    if (spec.sum) {
      const bool other = cells.add_sum(&TsReduced::sum, to_.sum);
      if (spilled) add_limbs(to_.sum, output, limbs(output, TS_SUM_SPILL));
      if (!other && !spilled) to_.sum.add_negative_zero(output);
    }
    if (spec.absolute) {
      cells.add_sum(&TsReduced::absolute, to_.absolute);
      to_.absolute.add_scaled(output, 0, 0);  // sets the sign of zero: no term is -0.0
      if (spilled) add_limbs(to_.absolute, output, limbs(output, TS_ABSOLUTE_SPILL));
    }
    if (spec.squares) {
      cells.add_sum(&TsReduced::squares, to_.squares);
      to_.squares.add_scaled(output, 0, 0);
      if (spilled) add_limbs(to_.squares, output, limbs(output, TS_SQUARES_SPILL));
    }
  }

  std::span<const TS_U64> limbs(std::int64_t output, std::uint32_t first) const {
    return result_.spill.subspan(static_cast<std::size_t>(output) * spill_.limbs + first -
                                 spill_.first);
  }

  const CellsResult& result_;
  const statistics::OutputSpec& output_spec_;
  statistics::OutputPartials& to_;
  SpillRange spill_;
};

}  // namespace

SpillRange spill_of(const statistics::ReductionSpec& spec) {
  if (!base::is_floating(spec.type)) return {};
  if (!spec.sum && !spec.absolute && !spec.squares) return {};
  const std::uint32_t first = spec.sum        ? TS_SUM_SPILL
                              : spec.absolute ? TS_ABSOLUTE_SPILL
                                              : TS_SQUARES_SPILL;
  const std::uint32_t end = spec.squares    ? TS_SLOT_LIMBS
                            : spec.absolute ? TS_SQUARES_SPILL
                                            : TS_ABSOLUTE_SPILL;
  return {first, end - first};
}

void add_cells(const CellsResult& result, const statistics::OutputSpec& output_spec,
               statistics::OutputPartials& to) {
  Adder(result, output_spec, to).add();
}

statistics::SpecialCounts specials_of(const statistics::OutputPartials& partials) {
  const auto total = [](const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  return {total(partials.nans), total(partials.positive_infinities),
          total(partials.negative_infinities)};
}

}  // namespace tessera::device::gpu
