// Inflates zlib and gzip streams; the only caller of libdeflate's decompressor.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

struct libdeflate_decompressor;

namespace tessera::codec {

/// One per thread; takes its memory at the first stream.
class Inflater {
 public:
  /// Into `out`, which must have exactly the inflated size. Throw base::Error (failed) that
  /// describes the damage.
  void inflate_zlib(std::span<const std::byte> stream, std::span<std::byte> out);
  void inflate_gzip(std::span<const std::byte> stream, std::span<std::byte> out);

 private:
  struct Free {
    void operator()(libdeflate_decompressor* decompressor) const;
  };
  libdeflate_decompressor* decompressor();

  std::unique_ptr<libdeflate_decompressor, Free> decompressor_;
};

}  // namespace tessera::codec
