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
#include "store/arrays/written_chunks.hpp"
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
  /// element of each array. `attributes` are left out if the format has none. A folder is there
  /// already (job::ArrayFormat::is_folder).
  std::vector<std::uint64_t> (*create)(const std::string& path,
                                       const std::vector<WrittenArray>& arrays,
                                       const Attributes& attributes) = nullptr;
  /// Opens what create() has made, for chunks.
  std::unique_ptr<WrittenChunks> (*open_chunks)(const std::string& path,
                                                const std::vector<WrittenArray>& arrays) = nullptr;
  /// For a folder: the file with the elements of the array; "" if it has none, or is in chunks.
  std::string (*element_file)(const std::string& path, const WrittenArray& array) = nullptr;
  /// For a folder: the CRC-32C of all that create() has made; see ArrayLayout::head.
  std::uint32_t (*checksum_head)(const std::string& path,
                                 const std::vector<WrittenArray>& arrays) = nullptr;
};

/// Throws a usage error for generated arrays, which are in no file.
const ArrayFiles& files_of(const job::ArrayInput& input);
/// By the suffix of `path`. Throws a usage error for any other name.
const ArrayFiles& written_files_of(const std::string& path);

}  // namespace tessera::store
