// Files that an earlier run may have left under the name of an image. Private to this room.
#pragma once

#include <memory>
#include <string>

#include "store/image/image_file.hpp"

namespace tessera::store {

/// Where an image that is not sound in place is copied to.
std::string copy_path(const std::string& part);
/// The copy and its log.
void remove_copy(const std::string& part);

/// For a message: who has begun `part`; "" if its log does not say.
std::string owner_of(const std::string& part);

/// Tiles in an unfinished image, as its log says, or else HDF5; 0 if neither can be read.
std::int64_t stored_tiles(const std::string& part);

/// Null if HDF5 cannot.
std::unique_ptr<ImageReader> try_to_read(const std::string& path);

}  // namespace tessera::store
