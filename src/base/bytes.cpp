#include "base/bytes.hpp"

namespace tessera::base {

// Not inline: g++ 12 then warns of an overflow that cannot be (-Wstringop-overflow).
ByteWriter& ByteWriter::put_bytes(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

}  // namespace tessera::base
