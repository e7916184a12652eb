// How each format is read and written. A format that is read is a row here and a file in
// store/formats.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "job/arrays/array_input.hpp"
#include "store/arrays/array_source.hpp"
#include "store/arrays/array_writer.hpp"
#include "store/formats/path_head.hpp"

namespace tessera::store {

/// A format that a file or a folder is known by.
struct ArrayDriver {
  std::string_view name;
  bool (*recognises)(const PathHead& head);
  /// The arrays there, "/group/name"; null for a format of one array without a name, and for HDF5,
  /// of which store/hdf5/contents.hpp tells more.
  std::vector<std::string> (*list)(const std::string& path);
  std::unique_ptr<ArraySource> (*open)(const job::ArrayInput& input, std::int64_t piece_bytes);
};

/// The first one that recognises it; null if none does.
const ArrayDriver* driver_of(const PathHead& head);

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
