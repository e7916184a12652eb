// The steps by which a chunk was encoded, as HDF5 and Zarr name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::codec {

/// One step. Steps that carry the size of what they were given must carry the size that is
/// expected.
struct Filter {
  enum class Kind {
    shuffle,          ///< HDF5's: bytes of elements by their significance
    bitshuffle,       ///< HDF5's 32008 without a compressor
    deflate,          ///< a zlib stream (RFC 1950)
    gzip,             ///< members one behind the other (RFC 1952)
    lzf,              ///< h5py's 32000
    zstd,             ///< HDF5's 32015, numcodecs', Zarr's: frames one behind the other
    lz4,              ///< HDF5's 32004: blocks with a head
    lz4_sized,        ///< numcodecs': a size in 4 bytes, then a block
    bitshuffle_lz4,   ///< HDF5's 32008
    bitshuffle_zstd,  ///< HDF5's 32008
    blosc,            ///< a frame of Blosc 1: HDF5's 32001, numcodecs', Zarr's
    szip,             ///< HDF5's 4
    fletcher32,       ///< HDF5's 3: 4 bytes behind the data
    crc32c,           ///< numcodecs', Zarr's: 4 bytes behind the data
  };
  /// The parameters of szip, as HDF5 stores them.
  struct Szip {
    std::uint32_t options = 0;
    std::uint32_t block_samples = 0;
    std::uint32_t sample_bits = 0;
    std::uint32_t line_samples = 0;
    friend bool operator==(const Szip&, const Szip&) = default;
  };

  Kind kind = Kind::deflate;
  std::size_t element_bytes = 1;   ///< of shuffle and bitshuffles
  std::size_t block_elements = 0;  ///< of bitshuffle; 0: what its writers take
  Szip szip{};
  friend bool operator==(const Filter&, const Filter&) = default;
};

/// In the order of encoding.
using Filters = std::vector<Filter>;

/// "zstd", for messages
std::string_view name_of(Filter::Kind kind);

/// Whether this build undoes it: some libraries may have been left out. A Blosc frame may hold what
/// was.
bool is_built(Filter::Kind kind);

/// Whether the filter's output has another size than its input, which cannot be known beforehand.
bool compresses(Filter::Kind kind);
/// Bytes that the filter adds behind the data.
std::size_t checksum_bytes(Filter::Kind kind);
/// Whether the size of what each filter was given follows from the size of the chunk. Only such
/// filters can be undone by a ChunkDecoder: behind a compressor there are checksums only.
bool sizes_are_known(std::span<const Filter> filters);

}  // namespace tessera::codec
