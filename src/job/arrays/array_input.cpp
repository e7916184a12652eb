#include "job/arrays/array_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file/user_path.hpp"
#include "base/printable.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "job/arrays/input_name.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;

// not crossed: only refuses
constexpr std::int64_t kMaxElements = std::int64_t{1} << 62;
constexpr std::int64_t kMaxNumber = std::numeric_limits<std::int64_t>::max();

/// "f4", "<f4", ">f4"; little-endian by default.
void set_dtype(ArrayInput& input, Text text, Text what) {
  const bool marked = text.starts_with('<') || text.starts_with('>');
  const Text code = marked ? text.substr(1) : text;
  input.is_boolean = code == "b1" || code == "bool";
  const auto type = input.is_boolean ? base::ElementType::u8 : base::find_element(code);
  if (!type) {
    throw base::usage_error(
        "{}: there is no type '{}'; there are b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8, with > in front "
        "if big-endian",
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
    input.shape = {base::parse_count(value, what, 0, kMaxElements)};
  } else if (key == "offset") {
    input.offset_bytes =
        static_cast<std::uint64_t>(base::parse_integer(value, what, 0, kMaxNumber));
  } else {
    input.seed = static_cast<std::uint64_t>(base::parse_integer(value, what, 0, kMaxNumber));
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

/// Parses a random input; `kind` is the text between the colon and the question mark.
ArrayInput parse_random(Text text, Text kind, Text query) {
  ArrayInput input{.text = base::printable(text), .format = ArrayInput::Format::random};
  input.normal = kind == "normal";
  if (!input.normal && kind != "uniform") {
    throw base::usage_error("{}: there is no distribution '{}'; there are uniform and normal", text,
                            kind);
  }
  set_keys(input, query, {"count", "seed", "dtype"}, 1);
  if (input.is_boolean || input.type == base::ElementType::f16) {
    throw base::usage_error("{}: random numbers are integers, f4 or f8", text);
  }
  if (input.normal && !base::is_floating(input.type)) {
    throw base::usage_error("{}: normal numbers are f4 or f8", text);
  }
  return input;
}

ArrayInput parse_linspace(Text text, Text ends, Text query) {
  ArrayInput input{.text = base::printable(text), .format = ArrayInput::Format::linspace};
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
constexpr std::array<Text, 4> kHdf5Suffixes = {".h5", ".hdf5", ".nc", ".nc4"};

constexpr std::array<Text, 1> kZarrSuffixes = {".zarr"};
constexpr std::array<Text, 1> kRawSuffixes = {".raw"};

constexpr std::array kFormats = {
    ArrayFormat{ArrayInput::Format::npy, kNpySuffixes},
    ArrayFormat{ArrayInput::Format::hdf5, kHdf5Suffixes, true},
    ArrayFormat{.format = ArrayInput::Format::zarr,
                .suffixes = kZarrSuffixes,
                .has_datasets = true,
                .is_folder = true},
    ArrayFormat{ArrayInput::Format::raw, kRawSuffixes, false, false},
};

/// Refuses a dataset without its slash, and an axis, with a hint.
void refuse_near_miss(Text text) {
  for (const Text suffix : {Text(".h5:"), Text(".hdf5:"), Text(".nc:"), Text(".nc4:")}) {
    const auto found = text.find(suffix);
    if (found == text.npos) continue;
    const auto name = found + suffix.size();
    throw base::usage_error("{}: the name of a dataset begins with a slash, as {}/{}", text,
                            text.substr(0, name), text.substr(name));
  }
  if (text == "-") {
    throw base::usage_error("-: standard input is not read; save the array to a file, as FILE.npy");
  }
  if (text.find_first_not_of("-0123456789") == text.npos) {
    throw base::usage_error("{}: not an INPUT; several axes are joined by commas, as --axis 0,1",
                            text);
  }
}

std::optional<ArrayInput> parse_generated(Text text) {
  const auto query = std::min(text.find('?'), text.size());
  const Text keys = text.substr(std::min(query + 1, text.size()));
  for (const auto& [prefix, parse] :
       {std::pair{Text("random:"), &parse_random}, {Text("linspace:"), &parse_linspace}}) {
    if (!text.starts_with(prefix)) continue;
    ArrayInput made = parse(text, text.substr(prefix.size(), query - prefix.size()), keys);
    if (made.big_endian) throw base::usage_error("{}: is in this machine's byte order", text);
    return made;
  }
  return std::nullopt;
}

/// Without a slice.
ArrayInput parse_whole(Text text) {
  if (base::trim(text).empty()) throw base::usage_error("INPUT: must not be empty");
  if (auto made = parse_generated(text)) {
    if (!base::is_named(made->text)) return *made;
    throw base::usage_error("{0}: is a generated array, and a file has that name, too: ./{0}",
                            text);
  }
  InputName name = split_input(text);
  ArrayInput input{.text = base::printable(text),
                   .path = std::move(name.path),
                   .pattern = std::move(name.pattern),
                   .dataset = std::move(name.dataset),
                   .tail = std::move(name.tail)};
  if (name.has_options) {
    input.format = ArrayInput::Format::raw;
    set_keys(input, name.options, {"dtype", "shape", "offset"}, 2);
    return input;
  }
  const ArrayFormat* const format = find_array_format(input.path);
  const bool has_form = (format != nullptr && format->describes_itself) || !input.dataset.empty() ||
                        !input.pattern.empty() || is_name_of_hdf5(input.path);
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(input.path, error);  // as Zarr has it
  if (has_form || is_folder || base::is_named(input.path)) return input;
  refuse_near_miss(text);
  throw base::usage_error("{}: not FILE.npy, nor FILE.h5:/dataset, nor FILE?dtype=f4&shape=100x200",
                          text);
}

}  // namespace

const ArrayFormat* find_array_format(Text path) {
  const auto* const found = std::ranges::find_if(kFormats, [path](const ArrayFormat& format) {
    return std::ranges::any_of(format.suffixes, [path](Text end) { return path.ends_with(end); });
  });
  return found == kFormats.end() ? nullptr : found;
}

bool has_datasets(Text path) {
  const ArrayFormat* const format = find_array_format(path);
  return format != nullptr && format->has_datasets;
}

bool is_folder_of_arrays(Text path) {
  const ArrayFormat* const format = find_array_format(path);
  return format != nullptr && format->is_folder;
}

Text without_end_slash(Text path) {
  const Text name = path.substr(0, path.find_last_not_of('/') + 1);
  return is_folder_of_arrays(name) ? name : path;
}

// Also netCDF-4, HDF-EOS5, AnnData, MATLAB 7.3.
bool is_name_of_hdf5(Text path) {
  std::string name(path);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  constexpr std::array<Text, 9> kEnds = {".h5",  ".hdf5", ".nc",   ".nc4", ".cdf",
                                         ".he5", ".hdf",  ".h5ad", ".mat"};
  return std::ranges::any_of(kEnds, [&](Text end) { return name.ends_with(end); });
}

ArrayInput input_of(ArrayInMemory memory, std::string_view name) {
  return {.text = base::printable(name),
          .format = ArrayInput::Format::memory,
          .memory = std::make_shared<const ArrayInMemory>(std::move(memory))};
}

ArrayInput input_of(std::shared_ptr<const ArrayReader> reader, std::string_view name) {
  return {.text = base::printable(name),
          .format = ArrayInput::Format::reader,
          .reader = std::move(reader)};
}

ArrayInput parse_array_input(std::string_view text) {
  const std::size_t brackets = find_slice(text);
  if (brackets == text.npos) return parse_whole(text);
  const Text slice = text.substr(brackets + 1, text.size() - brackets - 2);
  ArrayInput input = parse_whole(text.substr(0, brackets));
  if (input.is_generated()) {
    throw base::usage_error("{}: is a generated array, of which no slice is taken", text);
  }
  input.slice = parse_slice(slice, text);
  input.text = base::printable(text);
  input.tail += text.substr(brackets);
  return input;
}

ArrayInput dataset_of_file(const std::string& path, const std::string& dataset) {
  return {.text = base::printable(path + ":" + dataset),
          .format = ArrayInput::Format::hdf5,
          .path = path,
          .dataset = dataset,
          .tail = ":" + dataset};
}

std::int64_t count_elements(const Shape& shape, std::string_view what) {
  // An array without elements, too: along its axes, it may have as many outputs.
  std::int64_t count = 1;
  for (const std::int64_t side : shape) {
    if (side == 0) continue;
    if (side > kMaxElements / count) {
      throw base::usage_error("{}: {} are more than 2^62 elements", what, format_shape(shape));
    }
    count *= side;
  }
  return std::ranges::find(shape, 0) == shape.end() ? count : 0;
}

Shape parse_shape(Text text, Text what) {
  Shape shape;
  for (const std::string& side : base::split(text, text.find('x') != text.npos ? 'x' : ',')) {
    shape.push_back(base::parse_count(side, what, 0, kMaxElements));
  }
  if (shape.empty()) throw base::usage_error("{}: '{}' is not a shape such as 100x200", what, text);
  return shape;
}

std::string format_shape(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

}  // namespace tessera::job
