// The nucleus of a minibrot near a point: found by Newton's method, and proven.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "find/point.hpp"
#include "find/search.hpp"
#include "find/slopes.hpp"

namespace tessera::find {

/// A parameter whose orbit returns to 0 after `period` steps, and not before.
struct Nucleus {
  Point point;
  std::int64_t period = 0;
  Shape shape;                   ///< an estimate
  std::optional<bool> cardioid;  ///< another: or else a disc; of the Mandelbrot set
};

std::variant<Nucleus, Nothing> find_nucleus(const Neighbourhood& place);

}  // namespace tessera::find
