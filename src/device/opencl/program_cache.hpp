// Files with the binaries of built programs. Losing one costs a compilation, so nothing here
// throws.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::device::opencl {

/// $XDG_CACHE_HOME/tessera, ~/.cache/tessera, or "" where there is no such place.
std::string cache_folder();

class ProgramCache {
 public:
  /// `identity`: everything that a binary depends on. An empty `folder` caches nothing.
  ProgramCache(const std::string& folder, std::string_view identity);

  /// The binary, if there is one whose checksum and identity are right.
  std::optional<std::vector<unsigned char>> load() const;
  /// Under another name first, then renamed: other processes see a whole file or none.
  void save(const std::vector<unsigned char>& binary) const;
  const std::string& path() const { return path_; }

 private:
  std::string identity_;
  std::string path_;
};

}  // namespace tessera::device::opencl
