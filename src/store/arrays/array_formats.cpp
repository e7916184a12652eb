#include "store/arrays/array_formats.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "store/arrays/contiguous_array.hpp"
#include "store/arrays/hdf5_array.hpp"
#include "store/arrays/memory_array.hpp"
#include "store/arrays/npy_header.hpp"
#include "store/arrays/reader_array.hpp"

namespace tessera::store {
namespace {

using Format = job::ArrayInput::Format;

constexpr std::array kArrayFiles = {
    ArrayFiles{.format = Format::npy, .open = &open_npy, .create = &create_npy},
    ArrayFiles{.format = Format::hdf5, .open = &open_hdf5_array, .create = &create_hdf5_arrays},
    ArrayFiles{.format = Format::raw, .open = &open_raw, .create = &create_raw},
    ArrayFiles{.format = Format::memory, .open = &open_memory},
    ArrayFiles{.format = Format::reader, .open = &open_reader},
};

}  // namespace

const ArrayFiles& files_of(const job::ArrayInput& input) {
  const auto found = std::ranges::find(kArrayFiles, input.format, &ArrayFiles::format);
  if (found == kArrayFiles.end()) throw base::usage_error("{}: is in no file", input.text);
  return *found;
}

const ArrayFiles& written_files_of(const std::string& path) {
  const job::ArrayFormat* const named = job::find_array_format(path);
  if (named == nullptr) throw base::usage_error("{}: names no format of arrays", path);
  return *std::ranges::find(kArrayFiles, named->format, &ArrayFiles::format);
}

std::unique_ptr<ArraySource> open_array(const job::ArrayInput& input, std::int64_t piece_bytes) {
  return files_of(input).open(input, piece_bytes);
}

}  // namespace tessera::store
