#include "browse/plane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace tessera::browse {
namespace {

using view::HttpError;
using view::parse_number;

std::size_t dimension_of(const view::Target& target, std::string_view name, std::size_t usual,
                         std::size_t dimensions) {
  const std::string_view text = target.parameter(name);
  if (text.empty()) return usual;
  return static_cast<std::size_t>(
      parse_number(text, name, 0, static_cast<std::int64_t>(dimensions) - 1));
}

plan::Shape index_of(std::string_view text, const plan::Shape& shape) {
  plan::Shape at(shape.size(), 0);
  if (text.empty()) return at;
  const auto parts = base::split(text, ',');
  if (parts.size() != shape.size()) {
    throw HttpError(400,
                    fmt::format("at: {} indices for {} dimensions", parts.size(), shape.size()));
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    at[d] = parse_number(parts[d], "at", 0, shape[d] - 1);
  }
  return at;
}

}  // namespace

plan::Box Plane::box(const base::PixelRect& rect) const {
  plan::Box box{at, plan::Shape(shape.size(), 1)};
  box.origin[columns] = rect.x;
  box.extent[columns] = rect.width;
  if (rows) {
    box.origin[*rows] = rect.y;
    box.extent[*rows] = rect.height;
  }
  return box;
}

job::ArraySlice Plane::slice(const base::PixelRect& rect) const {
  job::ArraySlice slice(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    slice[d] = {.start = at[d], .is_index = true};
  }
  slice[columns] = {.start = rect.x, .stop = rect.x + rect.width};
  if (rows) slice[*rows] = {.start = rect.y, .stop = rect.y + rect.height};
  return slice;
}

std::string Plane::key() const {
  return fmt::format("{} {} {}", rows ? static_cast<int>(*rows) : -1, columns, fmt::join(at, ","));
}

Plane plane_of(const view::Target& target, const plan::Shape& shape) {
  const std::size_t dimensions = shape.size();
  Plane plane{.shape = shape};
  plane.columns = dimension_of(target, "columns", dimensions - 1, dimensions);
  if (dimensions > 1) {
    const std::size_t other = plane.columns == dimensions - 1 ? dimensions - 2 : dimensions - 1;
    plane.rows = dimension_of(target, "rows", other, dimensions);
    if (*plane.rows == plane.columns) {
      throw HttpError(400, "rows: the columns have the same dimension");
    }
  }
  plane.at = index_of(target.parameter("at"), shape);
  plane.at[plane.columns] = 0;
  if (plane.rows) plane.at[*plane.rows] = 0;
  return plane;
}

}  // namespace tessera::browse
