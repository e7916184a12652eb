#include "boundary_walk.hpp"

#include <algorithm>
#include <vector>

#include "deep/part.hpp"

namespace tessera::deep {

namespace {

constexpr std::int64_t kWalkSide = 6;
constexpr std::uint32_t kFirstIterations = 400;
constexpr std::uint32_t kIterationsOfStep = 20;
/// The next step goes to one of so many squares of 2 x 2 pixels, those with the highest counts.
constexpr std::size_t kChoices = 3;

struct Square {
  std::int64_t column = 0, row = 0;
  std::uint64_t most = 0;
};

/// With several counts, the highest ones first.
std::vector<Square> varied_squares(const Place& place) {
  std::vector<std::uint64_t> counts;
  for (std::int64_t i = 0; i < kWalkSide * kWalkSide; ++i)
    counts.push_back(pixel_by_definition(place, i % kWalkSide, i / kWalkSide).count);
  const auto at = [&](std::int64_t column, std::int64_t row) {
    return counts[static_cast<std::size_t>(row * kWalkSide + column)];
  };
  std::vector<Square> varied;
  for (std::int64_t row = 0; row + 1 < kWalkSide; ++row) {
    for (std::int64_t column = 0; column + 1 < kWalkSide; ++column) {
      const auto [least, most] = std::minmax(
          {at(column, row), at(column + 1, row), at(column, row + 1), at(column + 1, row + 1)});
      if (most > least) varied.push_back({column, row, most});
    }
  }
  std::ranges::stable_sort(varied, std::ranges::greater(), &Square::most);
  return varied;
}

Place zoomed(const Place& place, const Square& square) {
  Place part = part_of(place, {square.column, square.row, 2, 2});
  part.size_px = place.size_px;
  part.iterations += kIterationsOfStep;
  return part;
}

}  // namespace

Place walk_to(std::mt19937_64& random, const Formula& formula, int depth) {
  Place place{.center_re = "-0.3",
              .center_im = "0.1",
              .width = "3.5",
              .size_px = {kWalkSide, kWalkSide},
              .iterations = kFirstIterations,
              .formula = formula};
  while (step_of(place).e > static_cast<std::int64_t>(-3.3219 * depth)) {
    const std::vector<Square> squares = varied_squares(place);
    const std::size_t choices = std::min(kChoices, squares.size());
    place = zoomed(
        place, choices == 0 ? Square{kWalkSide / 2, kWalkSide / 2} : squares[random() % choices]);
  }
  return place;
}

}  // namespace tessera::deep
