// gzip (RFC 1952), as browsers take it.
#pragma once

#include <string>
#include <string_view>

namespace tessera::codec {

/// Throws if there is no memory.
std::string gzip(std::string_view text);

}  // namespace tessera::codec
