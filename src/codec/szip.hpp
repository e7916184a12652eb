// HDF5's szip filter (CCSDS 121.0-B lossless coding); the only caller of libaec.
#pragma once

#include <cstddef>
#include <span>

#include "codec/filter.hpp"
#include "codec/scratch.hpp"

namespace tessera::codec {

/// False in a build without libaec, where decode() throws.
bool has_szip();

/// Whether SzipDecoder decodes chunks with these parameters: samples of 1, 2, 4 or 8 whole bytes,
/// lines of a block at least.
bool is_plain_szip(const Filter::Szip& szip);

/// One per thread.
class SzipDecoder {
 public:
  /// Decodes into `out`, which must have exactly the decoded size. Throws base::Error (failed) that
  /// describes the damage.
  void decode(const Filter::Szip& szip, std::span<const std::byte> stream,
              std::span<std::byte> out);

  /// Upper bound of its memory, after decode() of chunks of `raw_bytes`.
  static std::size_t memory_bytes(std::size_t raw_bytes);

 private:
  void decode_samples(const Filter::Szip& szip, std::span<const std::byte> stream,
                      std::span<std::byte> samples);

  Scratch planes_;
  Scratch padded_;
};

}  // namespace tessera::codec
