#include "base/file/hdf5_signature.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tessera::base {

bool has_hdf5_signature(std::istream& file) {
  constexpr std::array<char, 8> kSignature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> start{};
  for (std::streamoff at = 0; file.seekg(at) && file.read(start.data(), start.size());
       at = at == 0 ? 512 : 2 * at) {
    if (start == kSignature) return true;
  }
  return false;
}

bool has_hdf5_signature(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  std::ifstream file(path, std::ios::binary);
  return file && has_hdf5_signature(file);
}

}  // namespace tessera::base
