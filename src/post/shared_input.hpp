// Opens a file on all ranks that can see it. Without a shared file system only some can.
#pragma once

#include <memory>
#include <string>

#include "comm/world.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// Returns the open file, or null on a rank, except the gather rank, that has no such file. Throws
/// base::Error if the file exists but cannot be used, or if the gather rank lacks it.
std::unique_ptr<store::ImageReader> open_shared_input(const comm::World& world,
                                                      const std::string& path);

}  // namespace tessera::post
