#include "every_filter.hpp"

namespace tessera::codec {
namespace {

using Kind = Filter::Kind;

std::vector<Sample> plain_streams(const Bytes& raw, std::size_t width) {
  const Bytes shuffled = naive_shuffle(raw, width);
  const Filter shuffle{.kind = Kind::shuffle, .element_bytes = width};
  const auto half = static_cast<std::ptrdiff_t>(raw.size() / 2);
  const Bytes front(raw.begin(), raw.begin() + half);
  const Bytes back(raw.begin() + half, raw.end());
  return {
      {"shuffle", {shuffle}, shuffled},
      {"zlib", {{.kind = Kind::deflate}}, encode_zlib(raw)},
      {"shuffle and zlib", {shuffle, {.kind = Kind::deflate}}, encode_zlib(shuffled)},
      {"gzip", {{.kind = Kind::gzip}}, encode_gzip(raw)},
      {"two gzip members", {{.kind = Kind::gzip}}, join({encode_gzip(front), encode_gzip(back)})},
      {"zstd", {shuffle, {.kind = Kind::zstd}}, encode_zstd(shuffled)},
      {"zstd without a size", {{.kind = Kind::zstd}}, encode_zstd(raw, false)},
      {"two zstd frames",
       {{.kind = Kind::zstd}},
       join(
           {encode_zstd(front), little(0x184D2A57, 4), little(3, 4), Bytes(3), encode_zstd(back)})},
      {"crc32c behind zstd",
       {{.kind = Kind::zstd}, {.kind = Kind::crc32c}},
       with_crc32c(encode_zstd(raw))},
      {"crc32c", {{.kind = Kind::crc32c}}, with_crc32c(raw)},
      {"zstd of what has a checksum",
       {shuffle, {.kind = Kind::fletcher32}, {.kind = Kind::zstd}},
       encode_zstd(with_fletcher32(shuffled))},
      {"sized LZ4", {{.kind = Kind::lz4_sized}}, encode_lz4_sized(raw), true},
      {"LZ4", {shuffle, {.kind = Kind::lz4}}, encode_lz4_blocks(shuffled, 1U << 30), true},
      {"LZ4 of small blocks", {{.kind = Kind::lz4}}, encode_lz4_blocks(raw, 100), true},
  };
}

std::vector<Sample> bitshuffles(const Bytes& raw, std::size_t width) {
  const std::size_t usual = std::max<std::size_t>(8192 / width / 8 * 8, 128);
  const auto filter = [&](Kind kind, std::size_t elements) {
    return Filters{{.kind = kind, .element_bytes = width, .block_elements = elements}};
  };
  const auto zstd = [](const Bytes& bytes) { return encode_zstd(bytes); };
  return {
      {"bitshuffle", filter(Kind::bitshuffle, 0), encode_bitshuffle(raw, width, usual)},
      {"bitshuffle of 16", filter(Kind::bitshuffle, 16), encode_bitshuffle(raw, width, 16)},
      {"bitshuffle and LZ4", filter(Kind::bitshuffle_lz4, 0),
       encode_bitshuffle(raw, width, usual, encode_lz4_block), true},
      {"bitshuffle of 24 and LZ4", filter(Kind::bitshuffle_lz4, 0),
       encode_bitshuffle(raw, width, 24, encode_lz4_block), true},
      {"bitshuffle and zstd", filter(Kind::bitshuffle_zstd, 0),
       encode_bitshuffle(raw, width, usual, zstd), true},
  };
}

std::vector<Sample> bloscs(const Bytes& raw, std::size_t width) {
  std::vector<Sample> samples;
  for (const char* const compressor : {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}) {
    for (const int shuffle : {0, 1, 2}) {
      for (const std::size_t block_bytes : {0, 1024}) {
        samples.push_back(
            {.name = "Blosc, " + std::string(compressor) + ", " + std::to_string(shuffle),
             .filters = {{.kind = Kind::blosc}},
             .stored = encode_blosc(raw, {.compressor = compressor,
                                          .shuffle = shuffle,
                                          .element_bytes = width,
                                          .level = shuffle == 0 ? 9 : 5,
                                          .block_bytes = block_bytes}),
             .carries_size = true});
      }
    }
  }
  samples.push_back({.name = "Blosc, level 0",
                     .filters = {{.kind = Kind::blosc}},
                     .stored = encode_blosc(raw, {.element_bytes = width, .level = 0}),
                     .carries_size = true});
  return samples;
}

std::vector<Sample> szips(const Bytes& raw, std::size_t width) {
  std::vector<Sample> samples;
  constexpr unsigned kNearestNeighbor = 32;
  constexpr unsigned kMostSignificantFirst = 16;
  if (raw.size() % width != 0) return samples;
  for (const unsigned options : {0U, kNearestNeighbor, kNearestNeighbor | kMostSignificantFirst}) {
    const Filter::Szip szip{.options = options,
                            .block_samples = options == 0 ? 8U : 16U,
                            .sample_bits = static_cast<std::uint32_t>(8 * width),
                            .line_samples = options == kNearestNeighbor ? 49U : 32U};  // padded
    samples.push_back({.name = "szip, options " + std::to_string(options),
                       .filters = {{.kind = Kind::szip, .szip = szip}},
                       .stored = encode_szip(raw, szip),
                       .carries_size = true});
  }
  return samples;
}

}  // namespace

std::vector<Sample> every_filter(const Bytes& raw, std::size_t element_bytes) {
  std::vector<Sample> samples = plain_streams(raw, element_bytes);
  for (const auto& more :
       {bitshuffles(raw, element_bytes), bloscs(raw, element_bytes), szips(raw, element_bytes)}) {
    samples.insert(samples.end(), more.begin(), more.end());
  }
  return samples;
}

}  // namespace tessera::codec
