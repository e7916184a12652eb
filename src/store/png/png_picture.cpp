#include "store/png/png_picture.hpp"

#include <utility>

#include "base/bytes.hpp"
#include "codec/png_band.hpp"
#include "store/png/png_file.hpp"
#include "store/png/png_text.hpp"

namespace tessera::store::png {
namespace {

class Encoder : public BandEncoder {
 public:
  base::Bytes encode(std::span<const std::byte> rows, std::int64_t width_px,
                     std::size_t pixel_bytes) override {
    const codec::PngBand band = encoder_.encode(rows, width_px, pixel_bytes);
    base::ByteWriter bytes;
    bytes.reserve(band.deflated.size() + 16);
    bytes.put(band.adler32).put(band.filtered_bytes).put_bytes(band.deflated);
    return bytes.take();
  }

 private:
  codec::PngBandEncoder encoder_;
};

class Writer : public PictureWriter {
 public:
  Writer(PictureTarget target, const PictureLayout& layout, const PictureTexts& texts)
      : png_(std::move(target), layout, texts) {
    png_.write_stream(codec::zlib_header());
  }

  void put(std::span<const std::byte> band) override {
    base::ByteReader in(band);
    const auto adler32 = in.get<std::uint32_t>();
    const auto filtered_bytes = in.get<std::uint64_t>();
    adler32_ = codec::adler32_join(adler32_, adler32, filtered_bytes);
    png_.write_stream(in.get_bytes(band.size() - sizeof(adler32) - sizeof(filtered_bytes)));
  }

  void finish() override {
    png_.write_stream(codec::zlib_trailer(adler32_));
    png_.finish();
  }

  std::uint64_t size_bytes() const override { return png_.size_bytes(); }

 private:
  PngWriter png_;
  std::uint32_t adler32_ = 1;
};

}  // namespace

std::unique_ptr<BandEncoder> make_encoder() {
  return std::make_unique<Encoder>();
}

std::size_t encoder_bytes(std::size_t band_bytes) {
  return codec::PngBandEncoder::memory_bytes(band_bytes);
}

std::unique_ptr<PictureWriter> create(PictureTarget target, const PictureLayout& layout,
                                      const PictureTexts& texts) {
  return std::make_unique<Writer>(std::move(target), layout, texts);
}

PictureOnDisk look(const std::string& path) {
  return {.exists = true,
          .size_px = png_size(path).value_or(base::ImageSize{}),
          .texts = read_png_text(path).value_or(PictureTexts{})};
}

}  // namespace tessera::store::png
