#include "store/arrays/array_formats.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/file/hdf5_signature.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "store/arrays/chunked_arrays.hpp"
#include "store/arrays/contiguous_array.hpp"
#include "store/arrays/hdf5_array.hpp"
#include "store/arrays/memory_array.hpp"
#include "store/arrays/npy_header.hpp"
#include "store/arrays/reader_array.hpp"
#include "store/arrays/sliced_array.hpp"
#include "store/file_kind.hpp"
#include "store/formats/netcdf3.hpp"
#include "store/formats/npz.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/tiff/tiff_array.hpp"
#include "store/zarr/zarr_array.hpp"
#include "store/zarr/zarr_writing.hpp"

namespace tessera::store {
namespace {

using Format = job::ArrayInput::Format;

bool is_hdf5(const PathHead& head) {
  // Behind a user block it is not at the beginning.
  return head.starts_with("\x89HDF\r\n\x1a\n") || base::has_hdf5_signature(head.path);
}

bool is_zarr(const PathHead& head) {
  return is_zarr_folder(head) || (is_zip(head) && is_zarr_archive(head.path));
}

bool is_npy(const PathHead& head) {
  return head.starts_with("\x93NUMPY");
}

std::unique_ptr<ArraySource> open_single_npy(const job::ArrayInput& input,
                                             std::int64_t piece_bytes) {
  if (input.dataset.size() <= 1) return open_npy(input, piece_bytes);
  throw base::usage_error("{}: {} is one array without a name; leave out :{}", input.text,
                          input.path, input.dataset);
}

/// In the order in which they are asked.
constexpr std::array kDrivers = {
    ArrayDriver{"npy", &is_npy, nullptr, &open_single_npy},
    ArrayDriver{"NetCDF-3", &is_netcdf3, &list_netcdf3, &open_netcdf3},
    ArrayDriver{"Zarr", &is_zarr, &list_zarr, &open_zarr},
    ArrayDriver{"npz", &is_zip, &list_npz, &open_npz},
    ArrayDriver{"TIFF", &is_tiff, nullptr, &open_tiff},
    ArrayDriver{"HDF5", &is_hdf5, nullptr, &open_hdf5_array},
};

/// A dataset whose name ends in brackets.
job::ArrayInput with_brackets(job::ArrayInput input) {
  input.slice.clear();
  if (!input.dataset.empty()) input.dataset = input.tail.substr(1);
  return input;
}

/// By what is there; by its name if nobody knows that, for an error that says what is wrong.
std::unique_ptr<ArraySource> open_file(const job::ArrayInput& input, std::int64_t piece_bytes) {
  const PathHead head(input.path);
  if (const ArrayDriver* const driver = driver_of(head)) return driver->open(input, piece_bytes);
  if (head.is_folder) {
    throw base::usage_error("{}: is not a file, and a folder without an array", input.path);
  }
  const job::ArrayFormat* const named = job::find_array_format(input.path);
  if (named != nullptr && named->format == Format::npy && input.dataset.empty()) {
    return open_npy(input, piece_bytes);
  }
  const bool is_hdf5_by_name = job::is_name_of_hdf5(input.path) || !input.dataset.empty();
  if (is_hdf5_by_name || !base::is_regular(input.path)) return open_hdf5_array(input, piece_bytes);
  throw base::usage_error("{}: {}; raw numbers are read as FILE?dtype=f4&shape=100x200", input.text,
                          array_fault(input.path));
}

/// Gives the names of --dims.
void name_dimensions(const job::ArrayInput& input, ArraySource& array) {
  const std::vector<std::string>& names = input.dimensions;
  const auto rank = std::ssize(array.info().shape);
  if (names.empty() || (std::ssize(names) != rank && !input.has_these_dimensions)) return;
  if (std::ssize(names) == rank) return array.set_dimensions(dimensions_named(names));
  throw base::usage_error("--dims {}: names {}; {} has {}, {}", base::join(names, ","),
                          base::count_of(std::ssize(names), "dimension"), input.text, rank,
                          job::format_shape(array.info().shape));
}

constexpr std::array kArrayFiles = {
    ArrayFiles{.format = Format::file, .open = &open_file},
    ArrayFiles{.format = Format::npy, .open = &open_npy, .create = &create_npy},
    ArrayFiles{.format = Format::zarr,
               .open = &open_zarr,
               .create = &create_zarr_arrays,
               .open_chunks = &open_zarr_chunks,
               .element_file = &zarr_element_file,
               .checksum_head = &checksum_zarr_head},
    ArrayFiles{.format = Format::hdf5,
               .open = &open_hdf5_array,
               .create = &create_hdf5_arrays,
               .open_chunks = &open_chunked_arrays},
    ArrayFiles{.format = Format::raw, .open = &open_raw, .create = &create_raw},
    ArrayFiles{.format = Format::memory, .open = &open_memory},
    ArrayFiles{.format = Format::reader, .open = &open_reader},
};

}  // namespace

const ArrayDriver* driver_of(const PathHead& head) {
  const auto* const found = std::ranges::find_if(
      kDrivers, [&](const ArrayDriver& driver) { return driver.recognises(head); });
  return found == kDrivers.end() ? nullptr : found;
}

const ArrayFiles& files_of(const job::ArrayInput& input) {
  const auto found = std::ranges::find(kArrayFiles, input.format, &ArrayFiles::format);
  if (found == kArrayFiles.end()) throw base::usage_error("{}: is in no file", input.text);
  return *found;
}

const ArrayFiles& written_files_of(const std::string& path) {
  const job::ArrayFormat* const named = job::find_array_format(path);
  if (named == nullptr) throw base::usage_error("{}: names no format of arrays", path);
  return *std::ranges::find(kArrayFiles, named->format, &ArrayFiles::format);
}

std::unique_ptr<ArraySource> open_array(const job::ArrayInput& input, std::int64_t piece_bytes) {
  const auto open = [piece_bytes](const job::ArrayInput& given) {
    auto array = files_of(given).open(given, piece_bytes);
    name_dimensions(given, *array);
    return array;
  };
  if (input.slice.empty()) return open(input);
  if (const auto dataset = with_brackets(input); has_hdf5_object(input.path, dataset.dataset)) {
    return open(dataset);
  }
  auto array = open(input);
  return slice_array(std::move(array), input.slice, input.text, piece_bytes);
}

}  // namespace tessera::store
