// Encodes bands of a PNG image. Each is filtered and deflated independently, on any thread or rank;
// their streams join into one valid zlib stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tessera::codec {

struct PngBand {
  std::vector<std::byte> deflated;  ///< whole deflate blocks, byte aligned, not final
  std::uint32_t adler32 = 1;        ///< Adler-32 of the filtered bytes (RFC 1950)
  std::uint64_t filtered_bytes = 0;
};

/// One per worker thread; keeps its scratch buffers.
class PngBandEncoder {
 public:
  PngBandEncoder();
  ~PngBandEncoder();
  PngBandEncoder(PngBandEncoder&&) noexcept;
  PngBandEncoder& operator=(PngBandEncoder&&) noexcept;

  /// `rgb`: rows of width_px * pixel_bytes bytes, top first; 3, 4, 6 or 8 bytes a pixel. The first
  /// row has the filter Sub, the others Up, so that no band needs pixels of its neighbour.
  PngBand encode(std::span<const std::byte> rgb, std::int64_t width_px,
                 std::size_t pixel_bytes = 3);

  static std::size_t memory_bytes(std::size_t rgb_bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The two bytes before the first band.
std::vector<std::byte> zlib_header();
/// The final empty block and the Adler-32, after the last band.
std::vector<std::byte> zlib_trailer(std::uint32_t adler32);
/// Adler-32 of two concatenated pieces (zlib's adler32_combine).
std::uint32_t adler32_join(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

}  // namespace tessera::codec
