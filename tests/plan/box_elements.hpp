// The elements of a box one by one, for tests of what reads and cuts arrays in larger steps.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/array_pieces.hpp"

namespace tessera::plan {

/// Numbers, in C order, of the elements of a box of an array, in the order in which the box has
/// them.
inline std::vector<std::int64_t> elements_of_box(const Shape& shape, const Box& box) {
  std::vector<std::int64_t> elements;
  for (std::int64_t e = 0; e < box.elements(); ++e) {
    std::int64_t rest = e;
    std::int64_t element = 0;
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      element += (box.origin[d] + rest % box.extent[d]) * stride;
      rest /= box.extent[d];
      stride *= shape[d];
    }
    elements.push_back(element);
  }
  return elements;
}

}  // namespace tessera::plan
