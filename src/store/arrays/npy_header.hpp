// The head of a NumPy .npy file (numpy.lib.format, versions 1.0, 2.0 and 3.0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/element.hpp"
#include "job/array_input.hpp"

namespace tessera::store {

struct NpyHeader {
  int version = 1;
  std::uint64_t data_offset_bytes = 0;
  base::ElementType type = base::ElementType::f64;
  bool big_endian = false;
  bool fortran_order = false;
  job::Shape shape;
};

/// Magic, version and length of the text: enough to know how long the head is.
inline constexpr std::size_t kNpyPreambleBytes = 12;
/// NumPy's own heads are below 1 KiB; of structured types they may be longer.
inline constexpr std::uint64_t kMostNpyHeaderBytes = std::uint64_t{1} << 20;

/// Bytes up to the first element, from the first kNpyPreambleBytes of the file. Usage error naming
/// `path` if that is no .npy file.
std::uint64_t npy_header_bytes(std::span<const std::byte> preamble, const std::string& path);

/// From the whole head. Usage errors name `path`, and a type that is no number.
NpyHeader parse_npy_header(std::span<const std::byte> head, const std::string& path);

}  // namespace tessera::store
