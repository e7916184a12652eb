// In a build without libtiff: no TIFF file is written.
#include "store/tiff/tiff_picture.hpp"

#include "base/error.hpp"

namespace tessera::store::tiff_picture {

std::unique_ptr<BandEncoder> make_encoder() {
  return nullptr;
}

std::size_t encoder_bytes(std::size_t /*band_bytes*/) {
  return 0;
}

std::unique_ptr<PictureWriter> create(PictureTarget target, const PictureLayout& /*layout*/,
                                      const PictureTexts& /*texts*/) {
  throw base::missing_error(
      "{}: this build does not write TIFF: it was configured without libtiff (docs/install.md, "
      "\"Libraries\")",
      target.path);
}

}  // namespace tessera::store::tiff_picture
