#include "expression/region.hpp"

#include <algorithm>

#include "expression/program.hpp"

namespace tessera::expression {
namespace {

/// How the value changes from one element to the next in each dimension.
std::vector<std::int64_t> steps_of(const Region& region, std::uint64_t dimension) {
  std::vector<std::int64_t> steps(region.shape.size());
  if (dimension == kFlat) {
    std::int64_t stride = 1;
    for (std::size_t d = steps.size(); d-- > 0; stride *= region.shape[d]) steps[d] = stride;
  } else if (dimension < steps.size()) {
    steps[dimension] = 1;
  }
  return steps;
}

}  // namespace

void Region::fill(std::uint64_t dimension, std::int64_t element,
                  std::span<std::int64_t> values) const {
  element += first;
  const std::vector<std::int64_t> steps = steps_of(*this, dimension);
  const std::size_t rank = shape.size();
  const auto dimension_at = [&](std::size_t i) { return first_fastest ? i : rank - 1 - i; };
  const std::int64_t row = rank == 0 ? 1 : extent[dimension_at(0)];
  while (!values.empty()) {
    std::int64_t value = 0;
    std::int64_t rest = element;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t d = dimension_at(i);
      value += (origin[d] + rest % extent[d]) * steps[d];
      rest /= extent[d];
    }
    const auto count =
        std::min<std::size_t>(values.size(), static_cast<std::size_t>(row - element % row));
    const std::int64_t step = rank == 0 ? 0 : steps[dimension_at(0)];
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = value + static_cast<std::int64_t>(i) * step;
    }
    values = values.subspan(count);
    element += static_cast<std::int64_t>(count);
  }
}

}  // namespace tessera::expression
