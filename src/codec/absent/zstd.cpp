#include "codec/zstd.hpp"

#include "codec/absent/left_out.hpp"

namespace tessera::codec {

bool has_zstd() {
  return false;
}

void ZstdDecoder::Free::operator()(ZSTD_DCtx_s* /*context*/) const {}

void ZstdDecoder::decode(std::span<const std::byte> /*stream*/, std::span<std::byte> /*out*/) {
  throw left_out("zstd", "libzstd");
}

}  // namespace tessera::codec
