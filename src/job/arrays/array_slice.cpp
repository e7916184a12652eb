#include "job/arrays/array_slice.hpp"

#include <algorithm>
#include <limits>

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
  const std::string part(base::trim(text));
  if (part == "...") return {.is_ellipsis = true};
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
  return slice;
}

std::vector<SliceRange> slice_ranges(const ArraySlice& slice,
                                     const std::vector<std::int64_t>& shape, Text what) {
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
