// Arrays of Zarr, versions 2 and 3, in folders and zip archives. Private to store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/arrays/array_source.hpp"
#include "store/formats/path_head.hpp"

namespace tessera::store {

/// A folder with metadata of Zarr.
bool is_zarr_folder(const PathHead& head);
/// Whether a zip archive holds metadata of Zarr.
bool is_zarr_archive(const std::string& path);
/// "/a", "/group/b"; "/" where the path itself is an array.
std::vector<std::string> list_zarr(const std::string& path);
/// Every thread reads and decodes by itself.
std::unique_ptr<ArraySource> open_zarr(const job::ArrayInput& input, std::int64_t piece_bytes);

}  // namespace tessera::store
