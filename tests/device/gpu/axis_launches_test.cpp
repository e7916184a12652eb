// Pieces of an axis reduction as launches of a GPU, and what is made of the cells of outputs.
#include "device/gpu/arrays/axes/axis_launches.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "device/gpu/arrays/axes/output_cells.hpp"

namespace tessera::device::gpu {
namespace {

struct Spot {
  std::int64_t output = 0;
  std::int64_t place = 0;
  friend bool operator==(const Spot&, const Spot&) = default;
};
using Spots = std::map<std::int64_t, Spot>;  ///< by element

/// As plan::AxisPiece says.
Spots spots_of(const plan::AxisPiece& piece) {
  std::int64_t count = 1;
  for (const plan::AxisLevel& level : piece.levels) count *= level.extent;
  Spots spots;
  for (std::int64_t element = 0; element < count; ++element) {
    Spot spot{0, piece.first_index};
    std::int64_t rest = element;
    for (auto level = piece.levels.rbegin(); level != piece.levels.rend(); ++level) {
      spot.output += rest % level->extent * level->output_step;
      spot.place += rest % level->extent * level->index_step;
      rest /= level->extent;
    }
    spots[element] = spot;
  }
  return spots;
}

/// Step and offset of number `n` along levels.
std::pair<std::int64_t, std::int64_t> along(const kernels::TsAxisLevel* levels, std::uint32_t count,
                                            std::int64_t n) {
  std::pair<std::int64_t, std::int64_t> found;
  for (std::uint32_t i = count; i-- > 0;) {
    found.first += n % levels[i].extent * static_cast<std::int64_t>(levels[i].step);
    found.second += n % levels[i].extent * levels[i].stride;
    n /= levels[i].extent;
  }
  return found;
}

/// As the kernels take the elements of launches.
Spots spots_of(const std::vector<AxisPart>& parts) {
  Spots spots;
  for (const AxisPart& part : parts) {
    const kernels::TsAxis& call = part.call;
    EXPECT_EQ(std::int64_t{call.outputs} * call.terms, part.count);
    for (std::int64_t o = 0; o < call.outputs; ++o) {
      const auto kept = along(call.kept, call.kept_levels, o);
      for (std::int64_t t = 0; t < call.terms; ++t) {
        const auto reduced = along(call.reduced, call.reduced_levels, t);
        const std::int64_t element = part.first + kept.second + reduced.second;
        EXPECT_FALSE(spots.contains(element));
        spots[element] = {call.first_output + kept.first,
                          static_cast<std::int64_t>(call.first_index) + reduced.first};
      }
    }
  }
  return spots;
}

plan::AxisPiece piece_of(const plan::Shape& shape, const std::vector<bool>& reduced,
                         plan::StorageOrder order) {
  return plan::AxisPlan(shape, reduced, shape, order).piece(0, 0);
}

TEST(AxisParts, HaveEveryElementOnceWhereItBelongs) {
  using enum plan::StorageOrder;
  const std::vector<std::pair<plan::Shape, std::vector<bool>>> cases = {
      {{30}, {true}},
      {{1}, {true}},
      {{7, 5}, {true, false}},
      {{7, 5}, {false, true}},
      {{4, 3, 5, 2}, {false, true, false, true}},
      {{2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2},
       {true, false, true, false, true, false, true, false, true, false, true}}};
  for (const auto& [shape, reduced] : cases) {
    for (const plan::StorageOrder order : {last_dimension_fastest, first_dimension_fastest}) {
      const plan::AxisPiece piece = piece_of(shape, reduced, order);
      for (const std::int64_t most : {1000000, 24, 5, 1}) {
        const std::vector<AxisPart> parts = parts_of(piece, most);
        EXPECT_EQ(spots_of(parts), spots_of(piece));
        for (const AxisPart& part : parts) EXPECT_LE(part.count, most);
      }
    }
  }
}

TEST(AxisParts, AreOneLaunchWherePossible) {
  const auto order = plan::StorageOrder::last_dimension_fastest;
  EXPECT_EQ(parts_of(piece_of({4, 3, 5, 2}, {false, true, false, true}, order), 120).size(), 1U);
  EXPECT_EQ(parts_of(piece_of({100, 50}, {true, false}, order), 2500).size(), 2U);
  EXPECT_TRUE(parts_of({.levels = {{.extent = 0, .reduced = true}}}, 100).empty());
}

kernels::TsAxis shared_out(const plan::Shape& shape, const std::vector<bool>& reduced,
                           std::int64_t max_splits) {
  kernels::TsAxis call =
      parts_of(piece_of(shape, reduced, plan::StorageOrder::last_dimension_fastest), 1 << 30)
          .front()
          .call;
  assign_threads(call, max_splits);
  EXPECT_EQ(call.lanes, 1U << (call.joins - 1));
  return call;
}

TEST(AxisParts, ColumnsHaveAThreadEachAndMoreWhereThereAreFew) {
  const kernels::TsAxis many = shared_out({16, 8192}, {true, false}, 1);
  EXPECT_EQ(many.lanes, 1U);
  EXPECT_EQ(many.splits, 1U);
  const kernels::TsAxis few = shared_out({50000, 3}, {true, false}, 2000);
  EXPECT_EQ(few.lanes, 1U);
  EXPECT_EQ(few.splits, 2000U);
  EXPECT_EQ(shared_out({20, 3}, {true, false}, 2000).splits, 1U);
}

TEST(AxisParts, RowsHaveManyThreadsInARow) {
  EXPECT_EQ(shared_out({100, 100000}, {false, true}, 1).lanes, std::uint32_t{TS_REDUCE_BLOCK});
  EXPECT_EQ(shared_out({100, 64}, {false, true}, 1).lanes, 8U);
  EXPECT_EQ(shared_out({100, 5}, {false, true}, 1).lanes, 1U);
  EXPECT_GT(shared_out({1 << 20}, {true}, 8192).splits, 100U);
}

/// A cell of nothing, or of -0.0, in that round.
kernels::TsReduced no_terms(std::uint32_t round) {
  kernels::TsReduced cell{};
  for (auto* const sum : {&cell.sum, &cell.absolute, &cell.squares}) {
    (*sum)[0] = std::bit_cast<std::uint64_t>(-0.0);
  }
  cell.round = round;
  cell.least_at = cell.greatest_at = cell.first_nan = TS_NOWHERE;
  return cell;
}

statistics::OutputPartials added(const statistics::OutputSpec& output_spec,
                                 const CellsResult& result, std::int64_t outputs) {
  statistics::OutputPartials partials;
  partials.reset(output_spec, outputs);
  add_cells(result, output_spec, partials);
  return partials;
}

TEST(Cells, OfEarlierRoundsCountAsNothing) {
  std::vector<kernels::TsReduced> cells = {no_terms(3), no_terms(2), no_terms(3), no_terms(3)};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].sum[0] = std::bit_cast<std::uint64_t>(std::ldexp(1.0, static_cast<int>(i)));
  }
  const statistics::OutputPartials all =
      added({.spec = {.sum = true}}, {.cells = cells, .round = 3, .terms = 9}, 2);
  EXPECT_EQ(all.sum.sum(0).rounded(), 1.0 + 4.0);
  EXPECT_EQ(all.sum.sum(1).rounded(), 8.0);
}

TEST(Cells, OfNegativeZerosAloneAreNotThoseOfNothing) {
  const std::vector<kernels::TsReduced> cells = {no_terms(1)};
  const statistics::OutputSpec output_spec{.spec = {.sum = true, .absolute = true}};
  const statistics::OutputPartials zeros =
      added(output_spec, {.cells = cells, .round = 1, .terms = 2}, 1);
  EXPECT_TRUE(std::signbit(zeros.sum.sum(0).rounded()));
  EXPECT_FALSE(std::signbit(zeros.absolute.sum(0).rounded()));
  const statistics::OutputPartials nothing =
      added(output_spec, {.cells = cells, .round = 1, .terms = 0}, 1);
  EXPECT_FALSE(std::signbit(nothing.sum.sum(0).rounded()));
}

TEST(Cells, SpillToLimbsOfTheirOwnOutput) {
  const statistics::OutputSpec output_spec{.spec = {.absolute = true, .squares = true}};
  const SpillRange range = spill_of(output_spec.spec);
  EXPECT_EQ(range.first, TS_ABSOLUTE_SPILL);
  EXPECT_EQ(range.limbs, TS_SLOT_LIMBS - TS_ABSOLUTE_SPILL);
  std::vector<kernels::TsReduced> cells = {no_terms(1), no_terms(1)};
  cells[1].spilled = 1;
  cells[1].absolute[0] = std::bit_cast<std::uint64_t>(0.5);
  std::vector<kernels::TS_U64> spill(std::size_t{2} * range.limbs);
  spill[range.limbs + TS_SUM_UNIT / 32] = 3;
  spill[range.limbs + TS_SQUARES_SPILL - TS_ABSOLUTE_SPILL + TS_SQUARES_UNIT / 32] = 9;
  const statistics::OutputPartials all =
      added(output_spec, {.cells = cells, .spill = spill, .round = 1, .terms = 4}, 2);
  EXPECT_EQ(all.absolute.sum(0).rounded(), 0.0);
  EXPECT_EQ(all.absolute.sum(1).rounded(), 3.5);
  EXPECT_EQ(all.squares.sum(1).rounded(), 9.0);
}

TEST(Cells, OfIntegersSpillNothing) {
  EXPECT_EQ(spill_of({.type = base::ElementType::i32, .sum = true}).limbs, 0U);
  EXPECT_EQ(spill_of({.extremes = true}).limbs, 0U);
}

}  // namespace
}  // namespace tessera::device::gpu
