// The reference orbit of an unfinished deep image, in a file beside it: a resumed run reads it
// instead of computing it again. docs/file-format.md, "The reference orbit".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file/posix_file.hpp"
#include "base/file/record_file.hpp"
#include "deep/deep_image.hpp"
#include "deep/partial_orbit.hpp"

namespace tessera::render {

/// "FILE.h5.orbit"
std::string orbit_path(const std::string& output);

/// Removes the file of an orbit, of any version and however damaged; neither a link nor another
/// file.
void remove_orbit(const std::string& path);

/// The file of an orbit that is computed. It grows with the orbit.
class OrbitFile {
 public:
  /// Nothing is kept with "" for a path, or if a link or another file has it.
  OrbitFile(std::string path, const deep::Place& place);

  /// Continues the place's orbit where an earlier run has left it; false if there is none.
  bool restore(deep::PartialOrbit& orbit);
  /// Appends new elements. Throws base::Error if the disk is full.
  void save(const deep::PartialOrbit& orbit);
  /// Appends them if they are many: while they are written, there are two copies of them.
  void save_if_many(const deep::PartialOrbit& orbit);

 private:
  void append(const deep::PartialOrbit& orbit);
  void open();

  std::string path_;
  deep::Place place_;
  std::optional<base::PosixFile> file_;
  std::optional<base::RecordWriter> pieces_;
  std::optional<base::RecordFileHead> head_;  ///< head of the file that is continued
  std::uint64_t end_byte_ = 0;                ///< end of its valid bytes
  std::int64_t elements_ = 0;                 ///< in the file
};

/// Iterations of the orbit in a file, whatever its place; nothing for other files.
std::optional<std::int64_t> orbit_iterations(const std::string& path);

}  // namespace tessera::render
