#include "plan/run_box.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::plan {
namespace {

std::int64_t largest_divisor(std::int64_t of, std::int64_t most) {
  while (of % most != 0) --most;
  return most;
}

}  // namespace

Shape run_box(const Shape& grid, std::int64_t most) {
  Shape box(grid.size(), 1);
  std::int64_t room = std::max<std::int64_t>(1, most);
  for (std::size_t d = grid.size(); d-- > 0;) {
    const std::int64_t side = std::max<std::int64_t>(1, grid[d]);
    if (side <= room) {
      box[d] = side;
      room /= side;
      continue;
    }
    const auto before = grid.begin() + static_cast<std::ptrdiff_t>(d);
    const bool is_first = std::all_of(grid.begin(), before, [](auto cells) { return cells <= 1; });
    box[d] = is_first ? room : largest_divisor(side, room);
    break;
  }
  return box;
}

}  // namespace tessera::plan
