// Files with the binaries of compiled programs. Losing one costs a compilation, so no function
// throws.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::device::gpu {

/// The limits of a cache: it keeps the programs that were used last.
struct CacheLimits {
  std::size_t files = 256;
  std::uintmax_t bytes = std::uintmax_t{256} << 20;
  std::chrono::hours unused{24 * 90};
};

/// Removes what is beyond the limits, and unfinished files of processes that ended; the file that
/// was used last stays. Another process may use or trim the folder at the same time.
void trim_cache(const std::string& folder, const CacheLimits& limits = {});

/// $XDG_CACHE_HOME/tessera, ~/.cache/tessera, or "" if neither variable is set.
std::string cache_folder();

class ProgramCache {
 public:
  /// `kind`: "opencl" or "cuda". `identity`: everything on which a binary depends. An empty
  /// `folder` disables the cache.
  ProgramCache(const std::string& folder, std::string_view kind, std::string_view identity);

  /// Loads the binary if its checksum and identity match, and notes that it is used now.
  std::optional<std::vector<unsigned char>> load() const;
  /// Writes a temporary file and renames it, so that other processes see a complete file or none.
  /// Then trims the cache.
  void save(const std::vector<unsigned char>& binary) const;
  const std::string& path() const { return path_; }

 private:
  std::string kind_, identity_;
  std::string path_;
};

}  // namespace tessera::device::gpu
