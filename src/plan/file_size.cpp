#include "plan/file_size.hpp"

namespace tessera::plan {
namespace {

/// Deflate's limit: a match of 258 bytes takes two bits (RFC 1951).
constexpr double kBestDeflateRatio = 1032;
/// A row of /tiles, and a chunk's entry in the index, per tile and field.
constexpr double kRowBytes = 72;
constexpr double kIndexBytes = 18;
constexpr double kFileBytes = 4096;
/// Attributes and axes of a finished file.
constexpr double kMaxAttributeBytes = 16384;
constexpr double kAxisBytes = 8;

}  // namespace

FileSizeRange file_size_range(const job::RenderJob& job, const TileGrid& tiles) {
  const auto count = static_cast<double>(tiles.count());
  const auto chunk_pixels = static_cast<double>(tiles.chunk_px().pixels());
  const double rows = kFileBytes + count * kRowBytes;
  const base::ImageSize size = job.image.size_px;
  const auto pixels_on_axes = static_cast<double>(size.width + size.height);
  FileSizeRange range{rows, rows + kMaxAttributeBytes + kAxisBytes * pixels_on_axes};
  for (const job::Field field : job.fields) {
    const double raw =
        chunk_pixels * static_cast<double>(base::element_bytes(job::field_type(job.image, field)));
    range.max_bytes += count * (raw + kIndexBytes);
    range.min_bytes += count * (job.compress == 0 ? raw : raw / kBestDeflateRatio);
  }
  return range;
}

}  // namespace tessera::plan
