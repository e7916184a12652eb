#include "store/hdf5/other_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace tessera::store {

namespace {

bool is_there(const std::filesystem::path& place) {
  std::error_code unknown;
  return std::filesystem::exists(place, unknown);
}

bool is_alongside(const std::filesystem::path& folder, const std::filesystem::path& source) {
  return is_there(folder / source) || is_there(folder / source.filename());
}

/// The source file of a part of a virtual dataset; "." is the dataset's own file.
std::string source_file(const Hdf5Dataset& data, std::size_t part) {
  const auto length = data.h5("H5Pget_virtual_filename", H5Pget_virtual_filename,
                              data.creation.id(), part, nullptr, std::size_t{0});
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  data.h5("H5Pget_virtual_filename", H5Pget_virtual_filename, data.creation.id(), part, name.data(),
          name.size());
  name.pop_back();
  return name;
}

/// Throws a missing error for an external file that does not exist.
void check_external_files(const Hdf5Dataset& data) {
  if (std::getenv("HDF5_EXTFILE_PREFIX") != nullptr) return;  // then other folders count
  const int files = data.h5("H5Pget_external_count", H5Pget_external_count, data.creation.id());
  for (int file = 0; file < files; ++file) {
    std::string name(4096, '\0');
    data.h5("H5Pget_external", H5Pget_external, data.creation.id(), static_cast<unsigned>(file),
            name.size() - 1, name.data(), nullptr, nullptr);
    name.resize(name.find('\0'));
    if (is_there(name)) continue;
    throw base::missing_error("{}: has its elements in {}, which is not there", data.info.name,
                              name);
  }
}

/// Throws a missing error for a source file that does not exist; HDF5 would silently return the
/// fill value. Names with a % stand for any number of files and are skipped.
void check_sources(const Hdf5Dataset& data) {
  if (data.h5("H5Pget_layout", H5Pget_layout, data.creation.id()) != H5D_VIRTUAL) return;
  if (std::getenv("HDF5_VDS_PREFIX") != nullptr) return;  // then other folders count too
  std::size_t parts = 0;
  data.h5("H5Pget_virtual_count", H5Pget_virtual_count, data.creation.id(), &parts);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::string name = source_file(data, part);
    if (name == "." || name.find('%') != name.npos) continue;
    // HDF5 looks in the current folder and beside the dataset's file.
    const std::filesystem::path source(name);
    const std::filesystem::path file = file_of(data.h5, data.dataset);
    std::error_code unknown;
    const auto real_folder = std::filesystem::weakly_canonical(file, unknown).parent_path();
    if (is_there(source) || is_alongside(file.parent_path(), source) ||
        is_alongside(real_folder, source)) {
      continue;
    }
    throw base::missing_error("{}: has elements in {}, which is not there", data.info.name, name);
  }
}

}  // namespace

void check_other_files(const Hdf5Dataset& data) {
  check_external_files(data);
  check_sources(data);
}

}  // namespace tessera::store
