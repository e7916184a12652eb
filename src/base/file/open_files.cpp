#include "base/file/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace tessera::base {

void allow_open_files(std::uint64_t files) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files) return;
  limit.rlim_cur = std::min<rlim_t>(files, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace tessera::base
