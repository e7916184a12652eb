#include "codec/szip.hpp"

#include <libaec.h>

#include <cstdint>

#include "codec/shuffle.hpp"
#include "codec/stream_reader.hpp"

namespace tessera::codec {
namespace {

constexpr std::string_view kSzipStream = "szip";
constexpr unsigned kSzipByteBits = 8;

/// HDF5's options as libaec's.
unsigned aec_flags(const Filter::Szip& szip) {
  constexpr unsigned kMostSignificantFirst = 16;
  constexpr unsigned kNearestNeighbor = 32;
  unsigned flags = AEC_NOT_ENFORCE;  // HDF5 allows blocks of other sizes than the standard
  if ((szip.options & kMostSignificantFirst) != 0) flags |= AEC_DATA_MSB;
  if ((szip.options & kNearestNeighbor) != 0) flags |= AEC_DATA_PREPROCESS;
  return flags;
}

/// Samples of 4 and 8 bytes are coded as bytes, by their significance.
bool is_coded_in_planes(const Filter::Szip& szip) {
  return szip.sample_bits > 2 * kSzipByteBits;
}

}  // namespace

bool is_plain_szip(const Filter::Szip& szip) {
  constexpr std::uint32_t kMostBlockSamples = 32;
  constexpr std::uint32_t kMostBlocks = 128;
  const std::uint32_t bits = szip.sample_bits;
  const std::uint32_t block = szip.block_samples;
  return (bits == 8 || bits == 16 || bits == 32 || bits == 64) && block >= 2 && block % 2 == 0 &&
         block <= kMostBlockSamples && szip.line_samples > 0 && szip.line_samples % block == 0 &&
         szip.line_samples / block <= kMostBlocks;
}

void SzipDecoder::decode(const Filter::Szip& szip, std::span<const std::byte> stream,
                         std::span<std::byte> out) {
  StreamReader reader(kSzipStream, stream);
  if (!is_plain_szip(szip)) throw reader.bad("has parameters that are not decoded");
  const auto claimed = reader.take_little_endian<std::uint32_t>();
  if (claimed != out.size()) {
    throw reader.bad(fmt::format("claims {} bytes, not the {} of its chunk", claimed, out.size()));
  }
  const bool in_planes = is_coded_in_planes(szip);
  const auto samples = in_planes ? planes_.take(out.size()) : out;
  aec_stream aec{};
  aec.next_in = reinterpret_cast<const unsigned char*>(reader.rest().data());
  aec.avail_in = reader.rest().size();
  aec.next_out = reinterpret_cast<unsigned char*>(samples.data());
  aec.avail_out = samples.size();
  aec.bits_per_sample = in_planes ? kSzipByteBits : szip.sample_bits;
  aec.block_size = szip.block_samples;
  aec.rsi = szip.line_samples / szip.block_samples;
  aec.flags = aec_flags(szip);
  const int status = aec_buffer_decode(&aec);
  if (status != AEC_OK) throw reader.bad(fmt::format("is damaged: libaec's error {}", status));
  if (aec.total_out != samples.size()) throw reader.bad("decodes to less than its chunk");
  if (in_planes) unshuffle(samples, szip.sample_bits / kSzipByteBits, out);
}

}  // namespace tessera::codec
