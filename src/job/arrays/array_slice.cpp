#include "job/arrays/array_slice.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/file/user_path.hpp"
#include "base/text.hpp"

namespace tessera::job {
namespace {

using Text = std::string_view;

constexpr std::int64_t kMaxIndex = std::int64_t{1} << 62;

std::int64_t parse_index(Text text, Text what) {
  return base::parse_integer(base::trim(text), what, -kMaxIndex, kMaxIndex);
}

/// The parts between colons; those that are blank stay open.
SlicePart parse_part(Text text, Text what) {
  std::string part(base::trim(text));
  if (part == "...") return {.is_ellipsis = true};
  const std::size_t equals = part.find('=');
  if (equals != part.npos) {
    SlicePart named = parse_part(Text(part).substr(equals + 1), what);
    named.dimension = base::trim(Text(part).substr(0, equals));
    if (named.dimension.empty() || named.is_ellipsis || part.find('=', equals + 1) != part.npos) {
      throw base::usage_error("{}: '{}' is no slice such as time=0:31 or lat=::2", what, text);
    }
    return named;
  }
  const std::vector<std::string> sides = base::split(part, ':');
  if (part.empty() || sides.size() > 3) {
    throw base::usage_error("{}: '{}' is no slice such as 3, 10:20, ::4 or ...", what, text);
  }
  if (sides.size() == 1) return {.start = parse_index(part, what), .is_index = true};
  const auto open = [&](std::size_t side) -> std::optional<std::int64_t> {
    if (side >= sides.size() || base::trim(sides[side]).empty()) return std::nullopt;
    return parse_index(sides[side], what);
  };
  SlicePart range{.start = open(0), .stop = open(1), .step = open(2).value_or(1)};
  if (range.step >= 1) return range;
  throw base::usage_error("{}: '{}': steps are 1 or more", what, text);
}

std::int64_t clamped(std::int64_t index, std::int64_t side) {
  return std::clamp<std::int64_t>(index < 0 ? index + side : index, 0, side);
}

SliceRange range_of(const SlicePart& part, std::int64_t side, std::size_t dimension, Text what) {
  if (!part.is_index) {
    const std::int64_t start = clamped(part.start.value_or(0), side);
    const std::int64_t stop = clamped(part.stop.value_or(side), side);
    return {start, stop > start ? (stop - start - 1) / part.step + 1 : 0, part.step};
  }
  const std::int64_t index = *part.start < 0 ? *part.start + side : *part.start;
  if (index >= 0 && index < side) return {index, 1, 1, true};
  throw base::usage_error("{}: index {} of dimension {}, which has {}", what, *part.start,
                          dimension, base::count_of(side, "element"));
}

bool is_named(const SlicePart& part) {
  return !part.dimension.empty();
}

/// Dimensions that no part names are taken whole.
std::vector<SliceRange> named_ranges(const ArraySlice& slice,
                                     const std::vector<std::int64_t>& shape,
                                     std::span<const std::string> names, Text what) {
  std::vector<SliceRange> ranges;
  for (const std::int64_t side : shape) ranges.push_back({0, side, 1});
  std::vector<bool> taken(shape.size());
  for (const SlicePart& part : slice) {
    const std::size_t dimension = dimension_named(part.dimension, names, what);
    if (taken[dimension]) {
      throw base::usage_error("{}: the slice names '{}' twice", what, part.dimension);
    }
    taken[dimension] = true;
    ranges[dimension] = range_of(part, shape[dimension], dimension, what);
  }
  return ranges;
}

}  // namespace

ArraySlice parse_slice(Text text, Text what) {
  if (base::trim(text).empty()) throw base::usage_error("{}: '[]' is no slice", what);
  ArraySlice slice;
  for (const std::string& part : base::split(std::string(text), ',')) {
    slice.push_back(parse_part(part, what));
  }
  if (std::ranges::count_if(slice, &SlicePart::is_ellipsis) > 1) {
    throw base::usage_error("{}: [{}] has several '...'", what, text);
  }
  const auto named = std::ranges::count_if(slice, is_named);
  if (named > 0 && named < std::ssize(slice)) {
    throw base::usage_error("{}: [{}] has parts with names and parts without; give all names", what,
                            text);
  }
  return slice;
}

std::size_t dimension_named(Text name, std::span<const std::string> names, Text what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    if (std::ranges::all_of(names, &std::string::empty)) {
      throw base::usage_error("{}: its dimensions have no names; --dims gives them, as {},...",
                              what, name);
    }
    throw base::usage_error("{}: has no dimension '{}'; its dimensions are {}", what, name,
                            base::join(names));
  }
  if (std::find(found + 1, names.end(), name) != names.end()) {
    throw base::usage_error("{}: several dimensions are named '{}'; say which one by its number",
                            what, name);
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> parse_dimension_names(Text text, Text what) {
  std::vector<std::string> names;
  for (const std::string& part : base::split(text, ',')) {
    names.emplace_back(base::trim(part));
    if (names.back().empty() || std::count(names.begin(), names.end(), names.back()) > 1) {
      throw base::usage_error("{}: '{}' is no list of different names such as time,lat,lon", what,
                              text);
    }
  }
  if (names.empty()) throw base::usage_error("{}: names no dimension", what);
  return names;
}

std::vector<SliceRange> slice_ranges(const ArraySlice& slice,
                                     const std::vector<std::int64_t>& shape,
                                     std::span<const std::string> names, Text what) {
  if (!slice.empty() && is_named(slice.front())) return named_ranges(slice, shape, names, what);
  const bool has_ellipsis = std::ranges::any_of(slice, &SlicePart::is_ellipsis);
  const std::size_t named = slice.size() - (has_ellipsis ? 1 : 0);
  if (named > shape.size()) {
    throw base::usage_error("{}: has {}, and the slice has {} parts", what,
                            base::count_of(std::ssize(shape), "dimension"), named);
  }
  std::vector<SliceRange> ranges;
  const auto add_whole = [&](std::size_t count) {
    for (; count > 0; --count) ranges.push_back({0, shape[ranges.size()], 1});
  };
  for (const SlicePart& part : slice) {
    if (part.is_ellipsis) {
      add_whole(shape.size() - named);
    } else {
      ranges.push_back(range_of(part, shape[ranges.size()], ranges.size(), what));
    }
  }
  add_whole(shape.size() - ranges.size());
  return ranges;
}

std::size_t find_slice(Text text) {
  if (!text.ends_with(']')) return Text::npos;
  const std::size_t begin = text.rfind('[');
  if (begin == Text::npos || begin == 0 || base::is_named(base::home_path(text))) return Text::npos;
  return begin;
}

}  // namespace tessera::job
