// A picture's worth of an array: two of its dimensions, at one index of each other one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/geometry.hpp"
#include "job/arrays/array_slice.hpp"
#include "plan/array_pieces.hpp"
#include "view/http/target.hpp"

namespace tessera::browse {

/// How many parts of `by` a length has; the last one may be shorter.
constexpr std::int64_t divided_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

struct Plane {
  plan::Shape shape;                ///< of the array
  std::optional<std::size_t> rows;  ///< dimension that goes down; nothing: there is one row
  std::size_t columns = 0;          ///< dimension that goes to the right
  plan::Shape at;                   ///< index in the other dimensions; 0 in these two

  base::ImageSize size() const { return {shape[columns], rows ? shape[*rows] : 1}; }
  /// The box of the array that the rectangle shows.
  plan::Box box(const base::PixelRect& rect) const;
  /// The same as the slice of an INPUT: the other dimensions go.
  job::ArraySlice slice(const base::PixelRect& rect) const;
  /// Whether columns come before rows in the array.
  bool is_turned() const { return rows && columns < *rows; }
  /// A text that differs between planes of an array.
  std::string key() const;
};

/// The parameters rows, columns (numbers of dimensions; the last two without them) and at (an index
/// for each dimension, with commas). Throws HttpError 400.
Plane plane_of(const view::Target& target, const plan::Shape& shape);

}  // namespace tessera::browse
