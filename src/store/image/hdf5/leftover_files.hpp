// Files that an earlier run may have left under the name of an image. Private to this folder.
#pragma once

#include <memory>
#include <string>

#include "store/image/hdf5/hdf5_image.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

/// The path to which a damaged image is copied.
std::string copy_path(const std::string& part);
/// Removes the copy and its log.
void remove_copy(const std::string& part);

/// Whether a file may be replaced as what a run has left: by its log or by what is in it.
bool is_unfinished_image(const std::string& part);

/// The process that writes `part`, for a message; "" if its log does not say.
std::string owner_of(const std::string& part);

/// Number of tiles in an unfinished image, by its log or else by HDF5; 0 if neither can be read.
std::int64_t stored_tiles(const std::string& part);

/// Null if HDF5 cannot read the file.
std::unique_ptr<Hdf5ImageReader> try_to_read(const std::string& path);

}  // namespace tessera::store
