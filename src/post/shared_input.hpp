// A file that all ranks read, where they can: without a shared file system only some see it.
#pragma once

#include <memory>
#include <string>

#include "comm/world.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// The open file, or null on a rank other than the gather rank that has no such file. Throws
/// base::Error for a file that is there and cannot be used, and when the gather rank lacks it.
std::unique_ptr<store::ImageReader> open_shared_input(const comm::World& world,
                                                      const std::string& path);

}  // namespace tessera::post
