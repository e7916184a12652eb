// By what a file is known to be still what it was, without reading it.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::base {

struct FileStamp {
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;  ///< when its contents were, since 1970
};

/// Of no bytes and 1970 for what is not there.
FileStamp stamp_of(const std::string& path);

}  // namespace tessera::base
