#include "store/hdf5/joined_parts.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/read_number.hpp"
#include "store/hdf5/attributes.hpp"

namespace tessera::store {

void check_part(const CheckedCall& h5, const Handle& joined, const Handle& source,
                const std::string& path) {
  if (!is_image(h5, joined)) return;
  const Attributes image = read_attributes(h5, joined);
  const std::string parts = find_attribute(image, kPartsKey);
  if (parts.empty()) return;
  const Attributes part = read_attributes(CheckedCall(path), source);
  const auto number = base::read_integer(std::filesystem::path(path).stem().string());
  const std::string status = fmt::format("{}{}/{}", kPartStatus, number.value_or(-1) + 1, parts);
  if (find_attribute(part, kFingerprintKey) != find_attribute(image, kFingerprintKey)) {
    throw base::run_error("{}: is a part of another image", path);
  }
  if (find_attribute(part, kStatusKey) != status) {
    throw base::run_error("{}: is another part than its name says", path);
  }
}

}  // namespace tessera::store
