// What libtiff calls for messages.
#pragma once

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>

struct tiff;

namespace tessera::store {

/// Keeps the last message of libtiff in the string `to`.
__attribute__((format(printf, 4, 0))) inline int keep_message(tiff* /*tiff*/, void* to,
                                                              const char* /*module*/,
                                                              const char* format,
                                                              std::va_list arguments) {
  std::array<char, 500> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  *static_cast<std::string*>(to) = text.data();
  return 1;
}

inline int drop_message(tiff* /*tiff*/, void* /*to*/, const char* /*module*/,
                        const char* /*format*/, std::va_list /*arguments*/) {
  return 1;
}

}  // namespace tessera::store
