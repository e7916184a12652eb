#include "store/formats/path_head.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/file/posix_file.hpp"

namespace tessera::store {

PathHead::PathHead(const std::string& given) : path(given) {
  // not crossed: every format is known by its first bytes
  constexpr std::size_t kHeadBytes = 4096;
  std::error_code error;
  is_folder = std::filesystem::is_directory(path, error);
  if (!base::is_regular(path)) return;
  std::ifstream file(path, std::ios::binary);
  front.resize(kHeadBytes);
  file.read(front.data(), static_cast<std::streamsize>(front.size()));
  front.resize(static_cast<std::size_t>(file.gcount()));
}

bool PathHead::has(std::string_view name) const {
  return is_folder && base::exists(path + "/" + std::string(name));
}

}  // namespace tessera::store
