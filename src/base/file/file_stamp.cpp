#include "base/file/file_stamp.hpp"

#include <sys/stat.h>

namespace tessera::base {

FileStamp stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  constexpr std::int64_t kPerSecond = 1000000000;
  return {static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * kPerSecond + status.st_mtim.tv_nsec};
}

}  // namespace tessera::base
