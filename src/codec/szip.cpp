#include "codec/szip.hpp"

#include <libaec.h>

#include <algorithm>
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

unsigned bits_of_code(const Filter::Szip& szip) {
  return is_coded_in_planes(szip) ? kSzipByteBits : szip.sample_bits;
}

/// `stream` begins with the size that was checked.
void decode_aec(const Filter::Szip& szip, std::size_t line_blocks,
                std::span<const std::byte> stream, std::span<std::byte> samples) {
  const auto coded = stream.subspan(sizeof(std::uint32_t));
  aec_stream aec{};
  aec.next_in = reinterpret_cast<const unsigned char*>(coded.data());
  aec.avail_in = coded.size();
  aec.next_out = reinterpret_cast<unsigned char*>(samples.data());
  aec.avail_out = samples.size();
  aec.bits_per_sample = bits_of_code(szip);
  aec.block_size = szip.block_samples;
  aec.rsi = static_cast<unsigned>(line_blocks);
  aec.flags = aec_flags(szip);
  const int status = aec_buffer_decode(&aec);
  if (status != AEC_OK) {
    throw bad_stream(kSzipStream, stream, fmt::format("is damaged: libaec's error {}", status));
  }
  if (aec.total_out != samples.size()) {
    throw bad_stream(kSzipStream, stream, "decodes to less than its chunk");
  }
}

}  // namespace

bool has_szip() {
  return true;
}

bool is_plain_szip(const Filter::Szip& szip) {
  constexpr std::uint32_t kMostBlockSamples = 32;
  constexpr std::uint32_t kMostLineSamples = 128 * kMostBlockSamples;
  const std::uint32_t bits = szip.sample_bits;
  const std::uint32_t block = szip.block_samples;
  return (bits == 8 || bits == 16 || bits == 32 || bits == 64) && block >= 2 && block % 2 == 0 &&
         block <= kMostBlockSamples && szip.line_samples >= block &&
         szip.line_samples <= kMostLineSamples;
}

std::size_t SzipDecoder::memory_bytes(std::size_t raw_bytes) {
  // A line is a block at least, so that padding does not double it.
  constexpr std::size_t kLine = 8192;
  return 3 * raw_bytes + 2 * kLine;
}

void SzipDecoder::decode(const Filter::Szip& szip, std::span<const std::byte> stream,
                         std::span<std::byte> out) {
  StreamReader reader(kSzipStream, stream);
  if (!is_plain_szip(szip)) throw reader.bad("has parameters that are not decoded");
  const auto claimed = reader.take_little_endian<std::uint32_t>();
  if (claimed != out.size()) {
    throw reader.bad(fmt::format("claims {} bytes, not the {} of its chunk", claimed, out.size()));
  }
  if (!is_coded_in_planes(szip)) return decode_samples(szip, stream, out);
  const auto planes = planes_.take(out.size());
  decode_samples(szip, stream, planes);
  unshuffle(planes, szip.sample_bits / kSzipByteBits, out);
}

/// Lines that are no whole number of blocks are padded.
void SzipDecoder::decode_samples(const Filter::Szip& szip, std::span<const std::byte> stream,
                                 std::span<std::byte> samples) {
  const std::size_t line_blocks = (szip.line_samples + szip.block_samples - 1) / szip.block_samples;
  const std::size_t padded_samples = line_blocks * szip.block_samples;
  const std::size_t sample_bytes = bits_of_code(szip) / kSzipByteBits;
  if (padded_samples == szip.line_samples) return decode_aec(szip, line_blocks, stream, samples);
  const std::size_t line_bytes = szip.line_samples * sample_bytes;
  const std::size_t padded_bytes = padded_samples * sample_bytes;
  const auto lines = padded_.take((samples.size() + line_bytes - 1) / line_bytes * padded_bytes);
  decode_aec(szip, line_blocks, stream, lines);
  for (std::size_t at = 0, from = 0; at < samples.size(); at += line_bytes, from += padded_bytes) {
    const std::size_t bytes = std::min(line_bytes, samples.size() - at);
    std::ranges::copy(lines.subspan(from, bytes), samples.subspan(at).begin());
  }
}

}  // namespace tessera::codec
