// Size and modification time: tells whether a file changed, without reading it.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::base {

struct FileStamp {
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;  ///< modification time, since 1970

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Zero bytes and 1970 for a file that does not exist.
FileStamp stamp_of(const std::string& path);

}  // namespace tessera::base
