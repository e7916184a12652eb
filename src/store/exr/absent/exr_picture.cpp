// In a build without OpenEXR: no EXR file is written.
#include "store/exr/exr_picture.hpp"

#include "base/error.hpp"

namespace tessera::store::exr {

std::unique_ptr<BandEncoder> make_encoder() {
  return nullptr;
}

std::size_t encoder_bytes(std::size_t /*band_bytes*/) {
  return 0;
}

std::unique_ptr<PictureWriter> create(PictureTarget target, const PictureLayout& /*layout*/,
                                      const PictureTexts& /*texts*/) {
  throw base::missing_error(
      "{}: this build does not write EXR: it was configured without OpenEXR (docs/install.md, "
      "\"Libraries\")",
      target.path);
}

}  // namespace tessera::store::exr
