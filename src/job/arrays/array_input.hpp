// An input array: the file, the generator or the memory that has the elements. Parses INPUT texts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/element.hpp"
#include "job/arrays/array_in_memory.hpp"
#include "job/arrays/array_slice.hpp"

namespace tessera::job {

using Shape = std::vector<std::int64_t>;

/// How stored elements become numbers.
struct Decoding {
  bool raw = false;                  ///< as they are stored: attributes are not read
  std::vector<std::string> missing;  ///< values of elements that are missing
  bool as_nan = false;               ///< missing elements are NaN
  bool may_round = false;            ///< where integers become f8, those of 64 bits too, rounded

  friend bool operator==(const Decoding&, const Decoding&) = default;
};

struct ArrayInput {
  /// `file`: one of the formats that a file is known by, or a folder; npy, zarr and hdf5 are for
  /// outputs, and hdf5 for a dataset that is known to be one.
  enum class Format { file, npy, raw, zarr, hdf5, random, linspace, memory, reader };

  std::string text;  ///< as given, printable
  Format format = Format::file;
  std::string path;     ///< as the system has it; of a pattern as given
  std::string pattern;  ///< for glob(3), if the path holds a `*`; otherwise ""
  /// Within a file of several arrays, "/group/name", as given; "" if none was named.
  std::string dataset;
  std::string tail;    ///< the part of `text` behind the path
  ArraySlice slice{};  ///< the elements that are taken; empty = all
  /// Names of the dimensions, before the slice, in place of those that the file has; empty = these.
  std::vector<std::string> dimensions{};
  /// Whether the array must have as many dimensions; otherwise only those that do get the names.
  bool has_these_dimensions = true;

  // For raw files, which do not record it, and for generated arrays.
  base::ElementType type = base::ElementType::f64;
  bool is_boolean = false;  ///< `type` is u8
  bool big_endian = false;
  Shape shape;
  std::uint64_t offset_bytes = 0;  ///< offset of the first element

  // For generated arrays.
  std::uint64_t seed = 1;
  bool normal = false;  ///< normal random numbers (mean 0, variance 1) instead of uniform ones
  double start = 0;
  double stop = 0;

  // For arrays of the calling program. `text` is their name in messages.
  std::shared_ptr<const ArrayInMemory> memory{};
  std::shared_ptr<const ArrayReader> reader{};

  Decoding decoding{};

  bool is_in_file() const { return format <= Format::hdf5; }
  /// Whether it is an array of the calling program, which nothing tells from another one.
  bool is_in_memory() const { return format == Format::memory || format == Format::reader; }
  bool is_generated() const { return format == Format::random || format == Format::linspace; }

  friend bool operator==(const ArrayInput&, const ArrayInput&) = default;
};

/// A format of files with arrays. store/arrays/array_formats.cpp reads and writes it.
struct ArrayFormat {
  ArrayInput::Format format;
  std::span<const std::string_view> suffixes;  ///< suffixes of file names: ".npy"
  bool has_datasets = false;  ///< a file has any number of arrays, with names; otherwise just one
  bool describes_itself = true;  ///< a file says the type and the shape of its elements
  bool is_folder = false;
};

/// By the suffix of `path`; null if no format has it.
const ArrayFormat* find_array_format(std::string_view path);
/// Whether a file of that name has any number of arrays; false for "", which names none.
bool has_datasets(std::string_view path);

/// The same, for whether it is a folder.
bool is_folder_of_arrays(std::string_view path);
/// The name of an output without the slashes that a shell puts behind that of a folder.
std::string_view without_end_slash(std::string_view path);

/// Arrays of the calling program. `name` is for messages.
ArrayInput input_of(ArrayInMemory memory, std::string_view name);
ArrayInput input_of(std::shared_ptr<const ArrayReader> reader, std::string_view name);

/// Whether that is the name of an HDF5 file: FILE.h5, FILE.nc and others.
bool is_name_of_hdf5(std::string_view path);

/// Parses "FILE.npy", "FILE.h5:/dataset", "FILE?dtype=f4&shape=100x200[&offset=BYTES]"
/// (split_input()), "random:uniform|normal?count=N[&seed=S][&dtype=f8]" or
/// "linspace:START,STOP?count=N[&dtype=f8]"; those in files with a slice in brackets. Throws a
/// usage error that begins with `text` for anything else.
ArrayInput parse_array_input(std::string_view text);

/// The dataset of that very name in an HDF5 file of that very name.
ArrayInput dataset_of_file(const std::string& path, const std::string& dataset);

/// Number of elements; 1 for a shape without dimensions. Throws a usage error that begins with
/// `what` if the sides, but for those of 0, make more than 2^62.
std::int64_t count_elements(const Shape& shape, std::string_view what);

/// "100x200"; "scalar" for a shape without dimensions.
std::string format_shape(const Shape& shape);

/// Parses "100x200". Throws a usage error that begins with `what`.
Shape parse_shape(std::string_view text, std::string_view what);

}  // namespace tessera::job
