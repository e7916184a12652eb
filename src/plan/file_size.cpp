#include "plan/file_size.hpp"

namespace tessera::plan {
namespace {

/// Deflate cannot do better: a match of 258 bytes takes two bits (RFC 1951).
constexpr std::uint64_t kBestDeflateRatio = 1032;
/// A row of /tiles and a chunk's place in the index, per tile and field.
constexpr std::uint64_t kRowBytes = 72;
constexpr std::uint64_t kIndexBytes = 18;
constexpr std::uint64_t kFileBytes = 4096;

}  // namespace

FileSizeRange file_size_range(const job::RenderJob& job, const TileGrid& tiles) {
  const auto count = static_cast<std::uint64_t>(tiles.count());
  const auto chunk_pixels = static_cast<std::uint64_t>(tiles.chunk_px().pixels());
  const std::uint64_t rows = kFileBytes + count * kRowBytes;
  FileSizeRange range{rows, rows};
  for (const job::Field field : job.fields) {
    const std::uint64_t raw = chunk_pixels * base::element_bytes(job::field_type(job.image, field));
    range.most_bytes += count * (raw + kIndexBytes);
    range.least_bytes += count * (job.compress == 0 ? raw : raw / kBestDeflateRatio);
  }
  return range;
}

}  // namespace tessera::plan
