#include "job/arrays/array_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/file/hdf5_signature.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;

constexpr std::int64_t kMostElements = std::int64_t{1} << 62;
constexpr std::int64_t kMostNumber = std::numeric_limits<std::int64_t>::max();

/// "f4", "<f4", ">f4"; little-endian by default.
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
  } else if (key == "count") {
    input.shape = {base::parse_count(value, what, 0, kMostElements)};
  } else if (key == "offset") {
    input.offset_bytes =
        static_cast<std::uint64_t>(base::parse_integer(value, what, 0, kMostNumber));
  } else {
    input.seed = static_cast<std::uint64_t>(base::parse_integer(value, what, 0, kMostNumber));
  }
}

/// Applies the keys after the question mark; the first `needed` of `known` are required.
void set_keys(ArrayInput& input, Text query, const std::vector<std::string>& known,
              std::size_t needed) {
  const Text what = input.text;
  std::vector<std::string> seen;
  for (const std::string& part : base::split(query, '&')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string key = part.substr(0, equals);
    if (equals == part.size() || std::ranges::find(seen, key) != seen.end()) {
      throw base::usage_error("{}: '{}' is not a key with one value, such as dtype=f4", what, part);
    }
    if (std::ranges::find(known, key) == known.end()) {
      throw base::usage_error("{}: there is no key '{}'; {}", what, key, suggestion(key, known));
    }
    set_key(input, key, Text(part).substr(equals + 1), what);
    seen.push_back(key);
  }
  for (std::size_t i = 0; i < needed; ++i) {
    if (std::ranges::find(seen, known[i]) != seen.end()) continue;
    throw base::usage_error("{}: says no {}; the keys are {}", what, known[i], base::join(known));
  }
  count_elements(input.shape, what);
}

ArrayInput parse_raw(Text text, std::size_t mark) {
  ArrayInput input{.text = std::string(text), .format = ArrayInput::Format::raw};
  input.path = text.substr(0, mark);
  set_keys(input, text.substr(mark + 1), {"dtype", "shape", "offset"}, 2);
  return input;
}

/// Parses a random input; `kind` is the text between the colon and the question mark.
ArrayInput parse_random(Text text, Text kind, Text query) {
  ArrayInput input{.text = std::string(text), .format = ArrayInput::Format::random};
  input.normal = kind == "normal";
  if (!input.normal && kind != "uniform") {
    throw base::usage_error("{}: there is no distribution '{}'; there are uniform and normal", text,
                            kind);
  }
  set_keys(input, query, {"count", "seed", "dtype"}, 1);
  if (input.type == base::ElementType::f16) {
    throw base::usage_error("{}: random numbers are integers, f4 or f8", text);
  }
  if (input.normal && !base::is_floating(input.type)) {
    throw base::usage_error("{}: normal numbers are f4 or f8", text);
  }
  return input;
}

ArrayInput parse_linspace(Text text, Text ends, Text query) {
  ArrayInput input{.text = std::string(text), .format = ArrayInput::Format::linspace};
  const std::vector<std::string> parts = base::split(ends, ',');
  if (parts.size() != 2) {
    throw base::usage_error("{}: '{}' is not START,STOP", text, ends);
  }
  input.start = base::parse_real(parts[0], text);
  input.stop = base::parse_real(parts[1], text);
  set_keys(input, query, {"count", "dtype"}, 1);
  if (!base::is_floating(input.type) || input.type == base::ElementType::f16) {
    throw base::usage_error("{}: numbers between two others are f4 or f8", text);
  }
  return input;
}

constexpr std::array<Text, 1> kNpySuffixes = {".npy"};
constexpr std::array<Text, 2> kHdf5Suffixes = {".h5", ".hdf5"};

constexpr std::array<Text, 1> kRawSuffixes = {".raw"};

constexpr std::array kFormats = {
    ArrayFormat{ArrayInput::Format::npy, kNpySuffixes},
    ArrayFormat{ArrayInput::Format::hdf5, kHdf5Suffixes, true},
    ArrayFormat{ArrayInput::Format::raw, kRawSuffixes, false, false},
};

/// Names of files that are HDF5 unless their contents say otherwise: netCDF-4, HDF-EOS5, AnnData,
/// MATLAB 7.3.
bool is_name_of_hdf5(Text path) {
  std::string name(path);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  constexpr std::array<Text, 9> kEnds = {".h5",  ".hdf5", ".nc",   ".nc4", ".cdf",
                                         ".he5", ".hdf",  ".h5ad", ".mat"};
  return std::ranges::any_of(kEnds, [&](Text end) { return name.ends_with(end); });
}

/// Refuses a dataset without its slash, and an axis, with a hint.
void refuse_near_miss(Text text) {
  for (const Text suffix : {Text(".h5:"), Text(".hdf5:"), Text(".nc:"), Text(".nc4:")}) {
    const auto found = text.find(suffix);
    if (found == text.npos) continue;
    const auto name = found + suffix.size();
    throw base::usage_error("{}: the name of a dataset begins with a slash, as {}/{}", text,
                            text.substr(0, name), text.substr(name));
  }
  if (text.find_first_not_of("-0123456789") == text.npos) {
    throw base::usage_error("{}: not an INPUT; several axes are joined by commas, as --axis 0,1",
                            text);
  }
}

}  // namespace

const ArrayFormat* find_array_format(Text path) {
  const auto* const found = std::ranges::find_if(kFormats, [path](const ArrayFormat& format) {
    return std::ranges::any_of(format.suffixes, [path](Text end) { return path.ends_with(end); });
  });
  return found == kFormats.end() ? nullptr : found;
}

ArrayInput parse_array_input(std::string_view text) {
  if (base::trim(text).empty()) throw base::usage_error("INPUT: must not be empty");
  // Messages and reports consist of lines.
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (std::ranges::any_of(text, is_control)) {
    throw base::usage_error("INPUT: holds a line break or another control character");
  }
  const auto query = std::min(text.find('?'), text.size());
  const Text keys = text.substr(std::min(query + 1, text.size()));
  for (const auto& [prefix, parse] :
       {std::pair{Text("random:"), &parse_random}, {Text("linspace:"), &parse_linspace}}) {
    if (!text.starts_with(prefix)) continue;
    ArrayInput made = parse(text, text.substr(prefix.size(), query - prefix.size()), keys);
    if (made.big_endian) throw base::usage_error("{}: is in this machine's byte order", text);
    return made;
  }
  if (const auto mark = text.find('?'); mark != text.npos && mark > 0) return parse_raw(text, mark);
  const ArrayFormat* const format = find_array_format(text);
  const auto colon = text.find(":/");
  const bool names_dataset = colon != text.npos && colon > 0;
  if (names_dataset && (format == nullptr || format->has_datasets ||
                        base::has_hdf5_signature(std::string(text.substr(0, colon))))) {
    return {.text = std::string(text),
            .format = ArrayInput::Format::hdf5,
            .path = std::string(text.substr(0, colon)),
            .dataset = std::string(text.substr(colon + 1))};
  }
  const bool is_hdf5 = base::has_hdf5_signature(std::string(text));
  if (is_hdf5 || (format == nullptr && is_name_of_hdf5(text))) {
    return {
        .text = std::string(text), .format = ArrayInput::Format::hdf5, .path = std::string(text)};
  }
  if (format != nullptr && format->describes_itself) {
    return {.text = std::string(text), .format = format->format, .path = std::string(text)};
  }
  refuse_near_miss(text);
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

Shape parse_shape(Text text, Text what) {
  Shape shape;
  for (const std::string& side : base::split(text, text.find('x') != text.npos ? 'x' : ',')) {
    shape.push_back(base::parse_count(side, what, 0, kMostElements));
  }
  if (shape.empty()) throw base::usage_error("{}: '{}' is not a shape such as 100x200", what, text);
  return shape;
}

std::string format_shape(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

}  // namespace tessera::job
