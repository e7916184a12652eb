#include "store/png/decode_png.hpp"

#include <png.h>

#include "base/error.hpp"

namespace tessera::store {

PngPixels decode_png(std::string_view file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  PngPixels pixels;
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) != 0) {
    image.format = PNG_FORMAT_RGBA;
    pixels.size_px = {image.width, image.height};
    pixels.rgba.resize(PNG_IMAGE_SIZE(image));
    png_image_finish_read(&image, nullptr, pixels.rgba.data(), 0, nullptr);
  }
  const std::string problem = PNG_IMAGE_FAILED(image) ? image.message : "";
  png_image_free(&image);
  if (!problem.empty()) throw base::run_error("cannot read a picture: {}", problem);
  return pixels;
}

}  // namespace tessera::store
