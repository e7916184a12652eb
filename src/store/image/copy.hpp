// How what is sound of an unfinished image comes into new files, which then take the names of the
// old ones. Private to this room.
#pragma once

#include <string>

#include "store/image/state.hpp"
#include "store/image/survey.hpp"

namespace tessera::store {

/// What the log says. `state`, whose log and lock are open, has the new files afterwards. Throws
/// base::Error; then all is as it was, or new.
Leftover copy_logged(ImageState& state, Survey survey);

/// Without a log: what HDF5's index and /tiles say, where the checksums are right.
Leftover copy_indexed(ImageState& state, const ImageReader& reader);

/// An adoption of a copy that was interrupted goes on; a copy that was not complete is dropped.
void settle_copy(const std::string& part);

}  // namespace tessera::store
