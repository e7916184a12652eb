#include "encoders.hpp"

#include <blosc.h>
#include <lz4.h>
#include <zlib.h>
#include <zstd.h>
extern "C" {
#include <szlib.h>  // knows no C++
}

#include <stdexcept>

#include "base/checksum.hpp"

namespace tessera::codec {
namespace {

constexpr int kGzip = 31;  // zlib's window bits of RFC 1952
constexpr int kZlib = 15;

Bytes deflated(const Bytes& raw, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  Bytes out(deflateBound(&stream, raw.size()) + 32);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(raw.data()));
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Bytes part(const Bytes& raw, std::size_t begin, std::size_t bytes) {
  const auto from = raw.begin() + static_cast<std::ptrdiff_t>(begin);
  return {from, from + static_cast<std::ptrdiff_t>(bytes)};
}

}  // namespace

Bytes join(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& bytes : parts) all.insert(all.end(), bytes.begin(), bytes.end());
  return all;
}

Bytes little(std::uint64_t number, std::size_t bytes) {
  Bytes out;
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(number >> 8 * i));
  return out;
}

Bytes big(std::uint64_t number, std::size_t bytes) {
  Bytes out = little(number, bytes);
  std::ranges::reverse(out);
  return out;
}

Bytes encode_zlib(const Bytes& raw) {
  return deflated(raw, kZlib);
}
Bytes encode_gzip(const Bytes& raw) {
  return deflated(raw, kGzip);
}

Bytes encode_zstd(const Bytes& raw, bool with_size) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, with_size ? 1 : 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  Bytes out(ZSTD_compressBound(raw.size()));
  out.resize(ZSTD_compress2(context, out.data(), out.size(), raw.data(), raw.size()));
  ZSTD_freeCCtx(context);
  return out;
}

Bytes encode_lz4_block(const Bytes& raw) {
  Bytes out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(raw.size()))));
  out.resize(static_cast<std::size_t>(LZ4_compress_default(
      reinterpret_cast<const char*>(raw.data()), reinterpret_cast<char*>(out.data()),
      static_cast<int>(raw.size()), static_cast<int>(out.size()))));
  return out;
}

Bytes encode_lz4_sized(const Bytes& raw) {
  return join({little(raw.size(), 4), encode_lz4_block(raw)});
}

Bytes encode_lz4_blocks(const Bytes& raw, std::size_t block_bytes) {
  Bytes out = join({big(raw.size(), 8), big(block_bytes, 4)});
  for (std::size_t at = 0; at < raw.size(); at += block_bytes) {
    const Bytes block = part(raw, at, std::min(block_bytes, raw.size() - at));
    Bytes stored = encode_lz4_block(block);
    if (stored.size() >= block.size()) stored = block;
    out = join({out, big(stored.size(), 4), stored});
  }
  return out;
}

Bytes naive_bit_planes(const Bytes& raw, std::size_t element_bytes) {
  const std::size_t count = raw.size() / element_bytes / 8 * 8;
  Bytes planes = raw;
  std::fill_n(planes.begin(), count * element_bytes, std::byte{0});
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t bit = 0; bit < 8 * element_bytes; ++bit) {
      const std::byte from = raw[i * element_bytes + bit / 8];
      const auto is_set = std::to_integer<unsigned>(from) >> bit % 8 & 1U;
      planes[bit * (count / 8) + i / 8] |= static_cast<std::byte>(is_set << i % 8);
    }
  }
  return planes;
}

Bytes encode_bitshuffle(const Bytes& raw, std::size_t element_bytes, std::size_t block_elements,
                        const std::function<Bytes(const Bytes&)>& compress) {
  Bytes out;
  if (compress) out = join({big(raw.size(), 8), big(block_elements * element_bytes, 4)});
  const std::size_t count = raw.size() / element_bytes / 8 * 8;
  for (std::size_t at = 0; at < count; at += block_elements) {
    const std::size_t elements = std::min(block_elements, count - at);
    const Bytes planes =
        naive_bit_planes(part(raw, at * element_bytes, elements * element_bytes), element_bytes);
    const Bytes stored = compress ? compress(planes) : planes;
    if (compress) out = join({out, big(stored.size(), 4)});
    out = join({out, stored});
  }
  const std::size_t whole = count * element_bytes;
  return join({out, part(raw, whole, raw.size() - whole)});
}

Bytes encode_blosc(const Bytes& raw, const BloscSettings& settings) {
  Bytes out(raw.size() + BLOSC_MAX_OVERHEAD);
  const int bytes = blosc_compress_ctx(settings.level, settings.shuffle, settings.element_bytes,
                                       raw.size(), raw.data(), out.data(), out.size(),
                                       settings.compressor.c_str(), settings.block_bytes, 1);
  if (bytes <= 0) throw std::runtime_error("blosc_compress_ctx: " + settings.compressor);
  out.resize(static_cast<std::size_t>(bytes));
  return out;
}

Bytes encode_szip(const Bytes& raw, const Filter::Szip& szip) {
  SZ_com_t parameters{.options_mask = static_cast<int>(szip.options),
                      .bits_per_pixel = static_cast<int>(szip.sample_bits),
                      .pixels_per_block = static_cast<int>(szip.block_samples),
                      .pixels_per_scanline = static_cast<int>(szip.line_samples)};
  Bytes out(2 * raw.size() + 1000);
  std::size_t bytes = out.size();
  if (SZ_BufftoBuffCompress(out.data(), &bytes, raw.data(), raw.size(), &parameters) != SZ_OK) {
    throw std::runtime_error("SZ_BufftoBuffCompress");
  }
  out.resize(bytes);
  return join({little(raw.size(), 4), out});
}

Bytes with_fletcher32(Bytes bytes) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const auto low = i + 1 < bytes.size() ? std::to_integer<unsigned>(bytes[i + 1]) : 0;
    first = (first + (std::to_integer<unsigned>(bytes[i]) << 8 | low)) % 65535;
    second = (second + first) % 65535;
  }
  return join({bytes, little(first, 2), little(second, 2)});
}

Bytes with_crc32c(Bytes bytes) {
  return join({bytes, little(base::crc32c(bytes), 4)});
}

}  // namespace tessera::codec
