// Files with the binaries of built programs. Losing one costs a compilation, so no function throws.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::device::opencl {

/// $XDG_CACHE_HOME/tessera, ~/.cache/tessera, or "" if neither variable is set.
std::string cache_folder();

class ProgramCache {
 public:
  /// `identity`: everything on which a binary depends. An empty `folder` disables the cache.
  ProgramCache(const std::string& folder, std::string_view identity);

  /// Loads the binary if its checksum and identity match.
  std::optional<std::vector<unsigned char>> load() const;
  /// Writes a temporary file and renames it, so that other processes see a complete file or none.
  void save(const std::vector<unsigned char>& binary) const;
  const std::string& path() const { return path_; }

 private:
  std::string identity_;
  std::string path_;
};

}  // namespace tessera::device::opencl
