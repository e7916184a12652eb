// Decodes zstd frames; the only caller of libzstd.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

struct ZSTD_DCtx_s;

namespace tessera::codec {

/// False in a build without libzstd, where decode() throws.
bool has_zstd();

/// One per thread; takes its memory at the first stream.
class ZstdDecoder {
 public:
  /// Decodes all frames of `stream` (RFC 8878), with or without a content size, into `out`, which
  /// must have exactly the decoded size. Throws base::Error (failed) that describes the damage.
  void decode(std::span<const std::byte> stream, std::span<std::byte> out);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace tessera::codec
