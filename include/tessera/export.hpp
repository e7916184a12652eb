// What libtessera.so shows of itself.
#pragma once

#if defined(_WIN32)
#error "Tessera is for Linux"
#endif
#define TESSERA_EXPORT __attribute__((visibility("default")))
