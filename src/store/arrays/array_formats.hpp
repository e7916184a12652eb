// How each format of job::array_formats() is read and written. A format is a row here and a file
// beside this one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "job/arrays/array_input.hpp"
#include "store/arrays/array_source.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::store {

struct ArrayFiles {
  job::ArrayInput::Format format;
  std::unique_ptr<ArraySource> (*open)(const job::ArrayInput& input, std::int64_t piece_bytes);
  /// Creates `path` except for the elements, which are contiguous. Returns the offset of the first
  /// element of each array. `attributes` are left out if the format has none.
  std::vector<std::uint64_t> (*create)(const std::string& path,
                                       const std::vector<WrittenArray>& arrays,
                                       const Attributes& attributes) = nullptr;
};

/// Throws a usage error for generated arrays, which are in no file.
const ArrayFiles& files_of(const job::ArrayInput& input);
/// By the suffix of `path`. Throws a usage error for any other name.
const ArrayFiles& written_files_of(const std::string& path);

}  // namespace tessera::store
