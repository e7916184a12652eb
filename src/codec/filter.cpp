#include "codec/filter.hpp"

#include <algorithm>

#include "codec/fletcher32.hpp"
#include "codec/lz4.hpp"
#include "codec/szip.hpp"
#include "codec/zstd.hpp"

namespace tessera::codec {

std::string_view name_of(Filter::Kind kind) {
  using Kind = Filter::Kind;
  switch (kind) {
    case Kind::shuffle:
      return "shuffle";
    case Kind::bitshuffle:
      return "bitshuffle";
    case Kind::deflate:
      return "deflate";
    case Kind::gzip:
      return "gzip";
    case Kind::lzf:
      return "LZF";
    case Kind::zstd:
      return "zstd";
    case Kind::lz4:
    case Kind::lz4_sized:
      return "LZ4";
    case Kind::bitshuffle_lz4:
      return "bitshuffle with LZ4";
    case Kind::bitshuffle_zstd:
      return "bitshuffle with zstd";
    case Kind::blosc:
      return "Blosc";
    case Kind::szip:
      return "szip";
    case Kind::fletcher32:
      return "Fletcher32";
    case Kind::crc32c:
      return "CRC-32C";
  }
  return "";
}

bool is_built(Filter::Kind kind) {
  using Kind = Filter::Kind;
  switch (kind) {
    case Kind::zstd:
    case Kind::bitshuffle_zstd:
      return has_zstd();
    case Kind::lz4:
    case Kind::lz4_sized:
    case Kind::bitshuffle_lz4:
      return has_lz4();
    case Kind::szip:
      return has_szip();
    default:
      return true;
  }
}

std::size_t checksum_bytes(Filter::Kind kind) {
  constexpr std::size_t kCrc32cBytes = 4;
  if (kind == Filter::Kind::fletcher32) return kFletcher32Bytes;
  return kind == Filter::Kind::crc32c ? kCrc32cBytes : 0;
}

bool compresses(Filter::Kind kind) {
  return kind != Filter::Kind::shuffle && kind != Filter::Kind::bitshuffle &&
         checksum_bytes(kind) == 0;
}

bool sizes_are_known(std::span<const Filter> filters) {
  const auto compressor =
      std::ranges::find_if(filters, compresses, [](const Filter& filter) { return filter.kind; });
  if (compressor == filters.end()) return true;
  return std::ranges::all_of(compressor + 1, filters.end(),
                             [](const Filter& filter) { return checksum_bytes(filter.kind) > 0; });
}

}  // namespace tessera::codec
