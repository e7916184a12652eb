// The header of a NumPy .npy file (numpy.lib.format, versions 1.0, 2.0 and 3.0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/element.hpp"
#include "job/arrays/array_input.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::store {

struct NpyHeader {
  int version = 1;
  std::uint64_t data_offset_bytes = 0;
  base::ElementType type = base::ElementType::f64;
  bool is_boolean = false;  ///< `type` is u8
  bool big_endian = false;
  bool fortran_order = false;
  job::Shape shape;
};

/// Magic, version and length of the text. They determine the size of the header.
inline constexpr std::size_t kNpyPreambleBytes = 12;
/// NumPy's own headers are below 1 KiB; those of structured types may be longer.
inline constexpr std::uint64_t kMaxNpyHeaderBytes = std::uint64_t{1} << 20;

/// Bytes before the first element, from the first kNpyPreambleBytes of the file. Throws a usage
/// error naming `path` if it is not a .npy file.
std::uint64_t npy_header_bytes(std::span<const std::byte> preamble, const std::string& path);

/// Parses the whole header. Usage errors name `path`, and an element type that is not a number.
NpyHeader parse_npy_header(std::span<const std::byte> head, const std::string& path);

/// The name of a type in a header: "<f8", "|b1".
std::string npy_type(base::ElementType type, bool is_boolean);
/// A header up to the first element, of version 1.0 if it is short and in ASCII, otherwise of 2.0
/// or 3.0. `type` and `shape`: as Python writes them, the shape without its parentheses.
std::string npy_head(std::string_view type, std::string_view shape);

/// As ArrayFiles::create: one array in C order, without attributes.
std::vector<std::uint64_t> create_npy(const std::string& path,
                                      const std::vector<WrittenArray>& arrays, const Attributes&);

}  // namespace tessera::store
