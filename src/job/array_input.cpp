#include "job/array_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;

constexpr std::int64_t kMostElements = std::int64_t{1} << 62;
constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

Shape parse_shape(Text text, Text what) {
  Shape shape;
  for (const std::string& side : base::split(text, text.find('x') != text.npos ? 'x' : ',')) {
    shape.push_back(base::parse_integer(side, what, 0, kMostElements));
  }
  if (shape.empty()) throw base::usage_error("{}: '{}' is not a shape such as 100x200", what, text);
  return shape;
}

/// "f4", "<f4", ">f4"; little-endian unless it says otherwise.
void set_dtype(ArrayInput& input, Text text, Text what) {
  const bool marked = text.starts_with('<') || text.starts_with('>');
  const auto type = base::find_element(marked ? text.substr(1) : text);
  if (!type) {
    throw base::usage_error(
        "{}: there is no type '{}'; there are i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8, with > in front if "
        "big-endian",
        what, text);
  }
  input.type = *type;
  input.big_endian = text.starts_with('>');
}

void set_key(ArrayInput& input, Text key, Text value, Text what) {
  if (key == "dtype") {
    set_dtype(input, value, what);
  } else if (key == "shape") {
    input.shape = parse_shape(value, what);
  } else if (key == "offset") {
    input.offset_bytes =
        static_cast<std::uint64_t>(base::parse_integer(value, what, 0, kMostBytes));
  } else {
    throw base::usage_error("{}: there is no key '{}'; {}", what, key,
                            suggestion(key, {"dtype", "shape", "offset"}));
  }
}

ArrayInput parse_raw(Text text, std::size_t mark) {
  ArrayInput input{.text = std::string(text), .format = ArrayInput::Format::raw};
  input.path = text.substr(0, mark);
  std::vector<std::string> seen;
  for (const std::string& part : base::split(text.substr(mark + 1), '&')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string key = part.substr(0, equals);
    if (equals == part.size() || std::ranges::find(seen, key) != seen.end()) {
      throw base::usage_error("{}: '{}' is not a key with one value, such as dtype=f4", text, part);
    }
    set_key(input, key, Text(part).substr(equals + 1), text);
    seen.push_back(key);
  }
  for (const Text needed : {"dtype", "shape"}) {
    if (std::ranges::find(seen, needed) == seen.end()) {
      throw base::usage_error("{}: says no {}; a raw file is FILE?dtype=f4&shape=100x200", text,
                              needed);
    }
  }
  count_elements(input.shape, text);
  return input;
}

}  // namespace

ArrayInput parse_array_input(std::string_view text) {
  if (base::trim(text).empty()) throw base::usage_error("INPUT: must not be empty");
  // Messages and reports are made of lines.
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (std::ranges::any_of(text, is_control)) {
    throw base::usage_error("INPUT: holds a line break or another control character");
  }
  if (const auto mark = text.find('?'); mark != text.npos && mark > 0) return parse_raw(text, mark);
  if (text.ends_with(".npy")) {
    return {
        .text = std::string(text), .format = ArrayInput::Format::npy, .path = std::string(text)};
  }
  if (const auto colon = text.find(":/"); colon != text.npos && colon > 0) {
    return {.text = std::string(text),
            .format = ArrayInput::Format::hdf5,
            .path = std::string(text.substr(0, colon)),
            .dataset = std::string(text.substr(colon + 1))};
  }
  if (text.ends_with(".h5") || text.ends_with(".hdf5")) {
    return {
        .text = std::string(text), .format = ArrayInput::Format::hdf5, .path = std::string(text)};
  }
  throw base::usage_error("{}: not FILE.npy, nor FILE.h5:/dataset, nor FILE?dtype=f4&shape=100x200",
                          text);
}

std::int64_t count_elements(const Shape& shape, std::string_view what) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t side : shape) {
    if (side > kMostElements / count) {
      throw base::usage_error("{}: {} are more than 2^62 elements", what, format_shape(shape));
    }
    count *= side;
  }
  return count;
}

std::string format_shape(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

}  // namespace tessera::job
