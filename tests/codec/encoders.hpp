// Encodes as the writers of arrays do, with the libraries that they use, or by hand.
#pragma once

#include <functional>
#include <string>

#include "codec/filter.hpp"
#include "sample_chunks.hpp"

namespace tessera::codec {

Bytes join(std::initializer_list<Bytes> parts);
/// `bytes` of `number`, the least significant first.
Bytes little(std::uint64_t number, std::size_t bytes);
Bytes big(std::uint64_t number, std::size_t bytes);

Bytes encode_zlib(const Bytes& raw);
Bytes encode_gzip(const Bytes& raw);
/// A frame with, or without, the size of its content; with a checksum of it.
Bytes encode_zstd(const Bytes& raw, bool with_size = true);
Bytes encode_lz4_block(const Bytes& raw);
Bytes encode_lz4_sized(const Bytes& raw);
/// HDF5's filter 32004. Blocks that would not shrink are stored.
Bytes encode_lz4_blocks(const Bytes& raw, std::size_t block_bytes);

/// Bit by bit, as the format's text says it: whole groups of 8 elements, then the rest.
Bytes naive_bit_planes(const Bytes& raw, std::size_t element_bytes);
/// HDF5's filter 32008. `compress`: none for bitshuffle alone.
Bytes encode_bitshuffle(const Bytes& raw, std::size_t element_bytes, std::size_t block_elements,
                        const std::function<Bytes(const Bytes&)>& compress = nullptr);

struct BloscSettings {
  std::string compressor = "lz4";
  int shuffle = 1;  ///< 0 none, 1 of bytes, 2 of bits
  std::size_t element_bytes = 4;
  int level = 5;
  std::size_t block_bytes = 0;  ///< 0: what libblosc takes
};
Bytes encode_blosc(const Bytes& raw, const BloscSettings& settings);

/// HDF5's filter szip.
Bytes encode_szip(const Bytes& raw, const Filter::Szip& szip);
/// With HDF5's checksum behind it.
Bytes with_fletcher32(Bytes bytes);
Bytes with_crc32c(Bytes bytes);

}  // namespace tessera::codec
