#include "store/hdf5/search.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

namespace tessera::store {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// "${ORIGIN}" at the beginning stands for the folder of `file`.
fs::path expand_origin(const std::string& prefix, const fs::path& file) {
  constexpr std::string_view kOrigin = "${ORIGIN}";
  if (!prefix.starts_with(kOrigin)) return prefix;
  std::error_code unknown;
  return fs::absolute(file, unknown).parent_path().string() + prefix.substr(kOrigin.size());
}

/// In HDF5's order (H5F_prefix_open_file of 1.10 and 1.14).
std::vector<fs::path> places_of(const fs::path& name, const fs::path& file, const char* folders) {
  std::vector<fs::path> places;
  fs::path rest = name;
  if (name.is_absolute()) {
    places.push_back(name);
    rest = name.filename();
  }
  const std::string prefixes = variable(folders);
  for (std::size_t at = 0; at < prefixes.size();) {
    const std::size_t end = std::min(prefixes.find(':', at), prefixes.size());
    if (end > at) places.push_back(fs::path(prefixes.substr(at, end - at)) / rest);
    at = end + 1;
  }
  if (!prefixes.empty() && std::string_view(folders) == kSourceFolders) {
    places.push_back(expand_origin(prefixes, file) / rest);
  }
  places.push_back(file.parent_path() / rest);
  places.push_back(rest);
  std::error_code unknown;
  places.push_back(fs::weakly_canonical(file, unknown).parent_path() / rest);
  return places;
}

}  // namespace

fs::path find_named_file(const std::string& name, const fs::path& file, const char* folders) {
  fs::path folder;
  for (const fs::path& place : places_of(name, file, folders)) {
    std::error_code unknown;
    const fs::file_status status = fs::status(place, unknown);
    if (!fs::exists(status)) continue;
    if (!fs::is_directory(status)) return place;
    if (folder.empty()) folder = place;
  }
  return folder;
}

fs::path external_place(const std::string& name, const fs::path& file) {
  const std::string prefix = variable("HDF5_EXTFILE_PREFIX");
  if (prefix.empty() || fs::path(name).is_absolute()) return name;
  return expand_origin(prefix, file) / name;
}

}  // namespace tessera::store
