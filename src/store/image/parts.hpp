// An image in several files, each with some of its rows of tiles: PATH.parts/000.h5, 001.h5, ...
// (docs/file-format.md). PATH joins them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file/output_name.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

/// The part that has this row of tiles.
inline int part_of_row(std::int64_t tile_row, int parts) {
  return static_cast<int>(tile_row % parts);
}

using base::parts_folder;
/// The name of a part in such a folder.
std::string part_file(const std::string& folder, int number);

/// The file that joins them, until it gets its name. It is there, since beside the image it would
/// look like an unfinished one.
std::string joined_file(const std::string& folder);

/// What the run that began the parts has written into their folder.
struct PartsFacts {
  std::string fingerprint;  ///< of the image
  int parts = 0;
};

/// Nothing if the folder is not one of parts.
std::optional<PartsFacts> read_parts_facts(const std::string& folder);
/// Makes the folder of `path`, whose .part file the caller has locked. Throws a usage error if
/// something else has these names.
void begin_parts(const std::string& path, const PartsFacts& facts);
/// The folder of the parts that it joins; "" if it joins none.
std::string joined_parts_folder(const std::string& path);
/// The sound tiles of a part that has ended. Reads all its bytes. Throws a usage error if it is of
/// another image.
Leftover tiles_of_part(const std::string& file, const std::string& fingerprint);
/// How many tiles are missing in each part of the folder.
std::vector<std::int64_t> missing_tiles(const std::string& folder);
/// Makes a part that has ended one that a run resumes.
void reopen_part(const std::string& file);
/// The size of all files in the folder.
std::uint64_t bytes_of_parts(const std::string& folder);
/// Whether a run may be writing them.
bool parts_may_be_locked(const std::string& folder);
/// Removes the parts in the folder, and the folder if there is nothing else in it. Throws a usage
/// error if another run is writing one.
void remove_parts(const std::string& folder);
/// Makes an image that joins parts an unfinished one, whose tiles a render checks.
void reopen_parts(const std::string& path);

/// The file or the folder of an unfinished image called `path`; "" if there is none.
std::string unfinished_image(const std::string& path);

}  // namespace tessera::store
