// The part of an INPUT in brackets: which elements of each dimension, as NumPy writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::job {

/// Elements start, start + step, ... before stop of a dimension. Negative numbers count from the
/// end.
struct SlicePart {
  std::string dimension{};  ///< its name; "" = by the place of this part
  std::optional<std::int64_t> start{}, stop{};
  std::int64_t step = 1;
  bool is_index = false;     ///< `start` alone, and the dimension goes
  bool is_ellipsis = false;  ///< all of the dimensions that no other part stands for

  friend bool operator==(const SlicePart&, const SlicePart&) = default;
};

using ArraySlice = std::vector<SlicePart>;

/// Parses "10:20, ::4, -1", "..., 0" or "time=0:31, lat=::2". Throws a usage error that begins with
/// `what`.
ArraySlice parse_slice(std::string_view text, std::string_view what);

/// What a slice takes of a dimension.
struct SliceRange {
  std::int64_t start = 0, count = 0, step = 1;
  bool drops = false;  ///< the dimension goes
};

/// For each dimension of `shape`; `names` are theirs, or empty. Ranges are cut to the array as in
/// NumPy. Throws a usage error that begins with `what` for an index outside, for more parts than
/// dimensions, and for a name that no dimension has.
std::vector<SliceRange> slice_ranges(const ArraySlice& slice,
                                     const std::vector<std::int64_t>& shape,
                                     std::span<const std::string> names, std::string_view what);

/// The dimension of that name. Throws a usage error that begins with `what` and lists `names` if
/// there is none, or more than one.
std::size_t dimension_named(std::string_view name, std::span<const std::string> names,
                            std::string_view what);

/// Parses "time,lat,lon": different names. Throws a usage error that begins with `what`.
std::vector<std::string> parse_dimension_names(std::string_view text, std::string_view what);

/// Where the brackets at the end of an INPUT begin; npos if there are none, or if a file has that
/// very name.
std::size_t find_slice(std::string_view text);

}  // namespace tessera::job
