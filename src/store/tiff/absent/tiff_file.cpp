// In a build without libtiff: every TIFF file is refused.
#include "store/tiff/tiff_file.hpp"

#include <utility>

#include "base/error.hpp"

namespace tessera::store {

bool TiffPage::is_like(const TiffPage& /*other*/) const {
  return false;
}

TiffHandle::TiffHandle(std::string path) : path_(std::move(path)) {
  throw base::missing_error(
      "{}: this build does not read TIFF: it was configured without libtiff (docs/install.md, "
      "\"Libraries\")",
      path_);
}

TiffHandle::~TiffHandle() = default;

TiffLayout TiffHandle::layout() {
  return {};
}

void TiffHandle::read(const TiffPage& /*page*/, std::uint32_t /*chunk*/,
                      std::span<std::byte> /*bytes*/) {}

}  // namespace tessera::store
