#include "codec/szip.hpp"

#include "codec/absent/left_out.hpp"

namespace tessera::codec {

bool has_szip() {
  return false;
}

bool is_plain_szip(const Filter::Szip& /*szip*/) {
  return false;
}

std::size_t SzipDecoder::memory_bytes(std::size_t /*raw_bytes*/) {
  return 0;
}

void SzipDecoder::decode(const Filter::Szip& /*szip*/, std::span<const std::byte> /*stream*/,
                         std::span<std::byte> /*out*/) {
  throw left_out("szip", "libaec");
}

}  // namespace tessera::codec
