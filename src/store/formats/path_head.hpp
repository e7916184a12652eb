// The beginning of a file, or that there is a folder: what its format is known by.
#pragma once

#include <string>
#include <string_view>

namespace tessera::store {

struct PathHead {
  /// Reads it. Nothing is there for a path that does not exist or cannot be read.
  explicit PathHead(const std::string& path);

  /// Whether a folder has a file of that name.
  bool has(std::string_view name) const;
  bool starts_with(std::string_view bytes) const { return front.starts_with(bytes); }

  std::string path;
  bool is_folder = false;
  std::string front;  ///< the first 4 KiB
};

}  // namespace tessera::store
