#include "store/tiff/tiff_picture.hpp"

#include <tiffio.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "store/picture/seekable_picture.hpp"
#include "store/tiff/tiff_message.hpp"

namespace tessera::store::tiff_picture {
namespace {

/// Offsets of a TIFF have 32 bits. Deflate makes noise longer by less than a part in a thousand.
// crossed by: pictures_beyond_4_GB_are_big_tiffs
constexpr std::uint64_t kMostTiffBytes = std::uint64_t{4'000'000'000};
/// Readers take a strip at a time.
constexpr std::uint64_t kStripBytes = std::uint64_t{1} << 20;
/// Of zlib: a fifth of the time of the usual one, for a quarter more bytes, as a PNG has.
constexpr int kZipLevel = 1;
/// What printers expect.
constexpr float kDotsPerInch = 300;

class Encoder : public BandEncoder {
 public:
  /// libtiff wants 16-bit channels as the processor has them.
  base::Bytes encode(std::span<const std::byte> rows, std::int64_t /*width_px*/,
                     std::size_t pixel_bytes) override {
    base::Bytes bytes;
    bytes.assign(rows.begin(), rows.end());
    const bool swaps = pixel_bytes > 4 && std::endian::native == std::endian::little;
    for (std::size_t i = 1; swaps && i < bytes.size(); i += 2) std::swap(bytes[i - 1], bytes[i]);
    return bytes;
  }
};

// What libtiff calls for the bytes of a file.
SeekablePicture& file_of(thandle_t handle) {
  return *static_cast<SeekablePicture*>(handle);
}

tmsize_t read_nothing(thandle_t /*handle*/, void* /*bytes*/, tmsize_t /*size*/) {
  return 0;
}

tmsize_t write_bytes(thandle_t handle, void* bytes, tmsize_t size) {
  const auto count = static_cast<std::size_t>(size);
  return file_of(handle).write({static_cast<const std::byte*>(bytes), count}) ? size : -1;
}

toff_t seek(thandle_t handle, toff_t offset, int whence) {
  SeekablePicture& file = file_of(handle);
  const std::uint64_t from = whence == SEEK_SET   ? 0
                             : whence == SEEK_END ? file.size_bytes()
                                                  : file.position();
  file.seek(from + offset);
  return file.position();
}

int close_nothing(thandle_t /*handle*/) {
  return 0;
}

toff_t size_of(thandle_t handle) {
  return file_of(handle).size_bytes();
}

struct Closer {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};

std::string text_of(const PictureTexts& texts, std::string_view key) {
  const auto found = std::ranges::find(texts, key, &PictureTexts::value_type::first);
  return found == texts.end() ? "" : found->second;
}

class Writer : public PictureWriter {
 public:
  Writer(PictureTarget target, const PictureLayout& layout, const PictureTexts& texts)
      : file_(std::move(target), "TIFF"), row_bytes_(row_bytes_of(layout)) {
    const auto rows = static_cast<std::uint64_t>(layout.size_px.height);
    const char* const mode = row_bytes_ * rows > kMostTiffBytes ? "w8" : "w";
    TIFFOpenOptions* const options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_message, &message_);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_message, nullptr);
    tiff_.reset(TIFFClientOpenExt(file_.path().c_str(), mode, &file_, read_nothing, write_bytes,
                                  seek, close_nothing, size_of, nullptr, nullptr, options));
    TIFFOpenOptionsFree(options);
    check(tiff_ != nullptr);
    describe(layout, texts);
  }

  void put(std::span<const std::byte> band) override {
    for (; !band.empty(); band = band.subspan(row_bytes_)) {
      // libtiff codes a copy.
      auto* const row = const_cast<std::byte*>(band.data());
      check(TIFFWriteScanline(tiff_.get(), row, row_++, 0) == 1);
    }
  }

  void finish() override {
    check(TIFFFlush(tiff_.get()) == 1);
    tiff_.reset();
    file_.finish();
  }

  std::uint64_t size_bytes() const override { return file_.size_bytes(); }

 private:
  static std::uint64_t row_bytes_of(const PictureLayout& layout) {
    return static_cast<std::uint64_t>(layout.size_px.width) * (layout.alpha ? 4 : 3) *
           static_cast<std::uint64_t>(layout.depth) / 8;
  }

  void check(bool worked) const {
    file_.rethrow();
    if (!worked) throw base::run_error("{}: libtiff: {}", file_.path(), message_);
  }

  template <class... Values>
  void set(std::uint32_t tag, Values... values) {
    check(TIFFSetField(tiff_.get(), tag, values...) == 1);
  }

  void describe(const PictureLayout& layout, const PictureTexts& texts) {
    set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(layout.size_px.width));
    set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(layout.size_px.height));
    set(TIFFTAG_SAMPLESPERPIXEL, layout.alpha ? 4 : 3);
    set(TIFFTAG_BITSPERSAMPLE, layout.depth);
    set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    constexpr std::uint16_t kAlpha = EXTRASAMPLE_UNASSALPHA;
    if (layout.alpha) set(TIFFTAG_EXTRASAMPLES, 1, &kAlpha);
    set(TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    set(TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    set(TIFFTAG_ZIPQUALITY, kZipLevel);
    set(TIFFTAG_ROWSPERSTRIP,
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, kStripBytes / row_bytes_)));
    set(TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
    set(TIFFTAG_XRESOLUTION, kDotsPerInch);
    set(TIFFTAG_YRESOLUTION, kDotsPerInch);
    set(TIFFTAG_SOFTWARE, "Tessera");
    const std::string place = text_of(texts, kForeignPlaceKey);
    const std::string about = place.empty() ? text_of(texts, "Command") : place;
    if (!about.empty()) set(TIFFTAG_IMAGEDESCRIPTION, about.c_str());
  }

  SeekablePicture file_;
  std::uint64_t row_bytes_;
  std::string message_;  ///< the last one of libtiff
  std::unique_ptr<TIFF, Closer> tiff_;
  std::uint32_t row_ = 0;  ///< the next one
};

void check_size(const std::string& path, base::ImageSize size_px) {
  // crossed by: sizes_that_tiff_cannot_say_are_usage_errors
  constexpr std::int64_t kMaxSide = std::numeric_limits<std::uint32_t>::max();
  if (size_px.width <= kMaxSide && size_px.height <= kMaxSide) return;
  throw base::usage_error("{}: a TIFF has at most {} pixels a side, not {} x {}", path, kMaxSide,
                          size_px.width, size_px.height);
}

}  // namespace

std::unique_ptr<BandEncoder> make_encoder() {
  return std::make_unique<Encoder>();
}

std::size_t encoder_bytes(std::size_t band_bytes) {
  return band_bytes;
}

std::unique_ptr<PictureWriter> create(PictureTarget target, const PictureLayout& layout,
                                      const PictureTexts& texts) {
  check_size(target.path, layout.size_px);
  return std::make_unique<Writer>(std::move(target), layout, texts);
}

}  // namespace tessera::store::tiff_picture
