#include "codec/png_image.hpp"

#include <libdeflate.h>

#include <string_view>

namespace tessera::codec {
namespace {

void put_number(std::vector<std::byte>& to, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8)
    to.push_back(static_cast<std::byte>(number >> shift));
}

void put_chunk(std::vector<std::byte>& file, std::string_view name,
               std::span<const std::byte> data) {
  put_number(file, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = file.size();
  for (const char letter : name) file.push_back(static_cast<std::byte>(letter));
  file.insert(file.end(), data.begin(), data.end());
  put_number(file, libdeflate_crc32(0, file.data() + begin, file.size() - begin));
}

std::vector<std::byte> head_of(std::uint32_t width_px, std::uint32_t height_px,
                               std::size_t channels) {
  std::vector<std::byte> head;
  put_number(head, width_px);
  put_number(head, height_px);
  const std::byte color_type{channels == 4 ? std::uint8_t{6} : std::uint8_t{2}};
  head.insert(head.end(), {std::byte{8}, color_type, std::byte{0}, std::byte{0}, std::byte{0}});
  return head;
}

}  // namespace

std::vector<std::byte> encode_png(PngBandEncoder& encoder, std::span<const std::byte> pixels,
                                  std::uint32_t width_px, std::size_t channels) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  const auto height_px = static_cast<std::uint32_t>(pixels.size() / (width_px * channels));
  const PngBand band = encoder.encode(pixels, width_px, channels);
  std::vector<std::byte> stream = zlib_header();
  stream.insert(stream.end(), band.deflated.begin(), band.deflated.end());
  const std::vector<std::byte> trailer = zlib_trailer(band.adler32);
  stream.insert(stream.end(), trailer.begin(), trailer.end());
  std::vector<std::byte> file;
  file.reserve(stream.size() + 128);
  for (const char letter : kSignature) file.push_back(static_cast<std::byte>(letter));
  put_chunk(file, "IHDR", head_of(width_px, height_px, channels));
  constexpr std::byte kPerceptual{0};
  put_chunk(file, "sRGB", std::span(&kPerceptual, 1));
  put_chunk(file, "IDAT", stream);
  put_chunk(file, "IEND", {});
  return file;
}

}  // namespace tessera::codec
