#include "store/hdf5/external_files.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/hdf5/search.hpp"

namespace tessera::store {

namespace {

/// Consecutive bytes of a dataset, in a raw file.
struct ExternalPart {
  std::string file;
  std::uint64_t offset_bytes = 0;  ///< in the file
  std::uint64_t bytes = 0;         ///< H5F_UNLIMITED: as many as the file has
};

ExternalPart external_part(const CheckedCall& h5, const Handle& creation, unsigned index) {
  std::string name(4096, '\0');
  off_t offset = 0;
  hsize_t bytes = 0;
  h5("H5Pget_external", H5Pget_external, creation.id(), index, name.size() - 1, name.data(),
     &offset, &bytes);
  name.resize(name.find('\0'));
  return {name, static_cast<std::uint64_t>(offset), bytes};
}

std::uint64_t bytes_of_dataset(const CheckedCall& h5, const Handle& dataset) {
  const Handle type(h5("H5Dget_type", H5Dget_type, dataset.id()));
  return static_cast<std::uint64_t>(plan::element_count(shape_of(h5, dataset))) *
         H5Tget_size(type.id());
}

/// Throws unless the file is there and has bytes up to `end`. A device has no size to check.
void check_length(const std::filesystem::path& place, std::uint64_t end, const std::string& name) {
  std::error_code unknown;
  const auto status = std::filesystem::status(place, unknown);
  if (!std::filesystem::exists(status)) {
    throw base::missing_error("{}: has its elements in {}, which is not there", name,
                              place.string());
  }
  if (std::filesystem::is_directory(status)) {
    throw base::usage_error("{}: has its elements in {}, which is a folder", name, place.string());
  }
  if (!std::filesystem::is_regular_file(status)) return;
  const std::uint64_t bytes = std::filesystem::file_size(place, unknown);
  if (unknown || bytes >= end) return;
  throw base::usage_error("{}: has its elements in {}, which ends after {} of {}", name,
                          place.string(), bytes,
                          base::count_of(static_cast<std::int64_t>(end), "byte"));
}

}  // namespace

std::vector<std::string> check_external_files(const CheckedCall& h5, const Handle& dataset,
                                              const std::string& name) {
  const Handle creation(h5("H5Dget_create_plist", H5Dget_create_plist, dataset.id()));
  const int count = h5("H5Pget_external_count", H5Pget_external_count, creation.id());
  if (count == 0) return {};
  std::vector<std::string> places;
  std::uint64_t rest = bytes_of_dataset(h5, dataset);
  for (int i = 0; i < count && rest > 0; ++i) {
    const ExternalPart part = external_part(h5, creation, static_cast<unsigned>(i));
    const std::uint64_t bytes = std::min(rest, part.bytes);
    const auto place = external_place(part.file, file_of(h5, dataset));
    check_length(place, part.offset_bytes + bytes, name);
    places.push_back(place.string());
    rest -= bytes;
  }
  if (rest > 0) throw base::usage_error("{}: its external files lack {} bytes", name, rest);
  return places;
}

}  // namespace tessera::store
