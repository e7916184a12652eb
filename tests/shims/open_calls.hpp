// open() and open64(), for a library that is preloaded; each source here is one, and includes this
// once.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>

#include <cstdarg>

namespace {

/// The function that the library stands in for.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// What the library does in their place; `real` is the name of one of them.
int open_by(const char* real, const char* name, int flags, mode_t mode);

mode_t mode_of(int flags, va_list rest) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(rest, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_by("open", name, flags, mode);
}

int open64(const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_by("open64", name, flags, mode);
}

}  // extern "C"
