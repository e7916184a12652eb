#include "base/file/open_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace tessera::base {
namespace {

constexpr rlim_t kMaxDescriptors = 1 << 20;

}  // namespace

void allow_open_files(std::uint64_t files) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files) return;
  limit.rlim_cur = std::min<rlim_t>(files, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

bool have_spare_files(std::uint64_t spare) noexcept {
  // The system gives out the lowest free number.
  const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (next < 0) return false;
  ::close(next);
  const std::uint64_t needed = static_cast<std::uint64_t>(next) + spare;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return true;
  allow_open_files(2 * needed);
  return ::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed;
}

void close_files_from(int first) noexcept {
  // The C library has the call since glibc 2.34, and Linux since 5.9.
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
#endif
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const auto end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, kMaxDescriptors));
  for (int file = first; file < end; ++file) ::close(file);
}

}  // namespace tessera::base
