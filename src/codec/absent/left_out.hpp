// What decoders throw that stand in for a library which this build was configured without.
#pragma once

#include <string_view>

#include "base/error.hpp"

namespace tessera::codec {

inline base::Error left_out(std::string_view format, std::string_view library) {
  return base::missing_error(
      "this build does not read {}: it was configured without {} (docs/install.md, \"Libraries\")",
      format, library);
}

}  // namespace tessera::codec
