#include "base/bytes.hpp"

namespace tessera::base {

ByteWriter& ByteWriter::put_bytes(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

}  // namespace tessera::base
