// Preloaded into a program: the file system has no locks, as Lustre that is mounted without them,
// and no rename that replaces nothing, as NFS.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdarg>

namespace {

int fcntl_without_locks(const char* real, int descriptor, int command, void* argument) {
  switch (command) {
    case F_SETLK:
    case F_SETLKW:
    case F_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
    case F_OFD_GETLK:
      errno = ENOLCK;
      return -1;
    default:
      return reinterpret_cast<int (*)(int, int, ...)>(dlsym(RTLD_NEXT, real))(descriptor, command,
                                                                              argument);
  }
}

}  // namespace

extern "C" {

int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return fcntl_without_locks("fcntl", descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return fcntl_without_locks("fcntl64", descriptor, command, argument);
}

int renameat2(int, const char*, int, const char*, unsigned) noexcept {
  errno = EINVAL;
  return -1;
}

int flock(int, int) noexcept {
  errno = ENOLCK;
  return -1;
}

}  // extern "C"
