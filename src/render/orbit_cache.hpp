// The reference orbit of an unfinished deep image, in a file beside it: a resumed run reads it
// instead of computing it again. docs/file-format.md, "The reference orbit".
#pragma once

#include <optional>
#include <string>

#include "deep/deep_image.hpp"

namespace tessera::render {

/// "FILE.h5.orbit"
std::string orbit_path(const std::string& output);

/// The orbit of this place, if `path` is a whole file that holds it.
std::optional<deep::ReferenceOrbit> read_orbit(const std::string& path, const deep::Place& place);

/// Throws base::Error if the disk is full.
void write_orbit(const std::string& path, const deep::Place& place,
                 const deep::ReferenceOrbit& orbit);

/// Iterations of the orbit in a file, whatever its place; nothing for other files.
std::optional<std::int64_t> orbit_iterations(const std::string& path);

}  // namespace tessera::render
