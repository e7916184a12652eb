// Copies the valid parts of an unfinished image into new files, which then take the names of the
// old ones. Private to this folder.
#pragma once

#include <string>

#include "store/image/hdf5/state.hpp"
#include "store/image/hdf5/survey.hpp"

namespace tessera::store {

/// Copies the tiles that `survey` found valid, by the log. The log and lock of `state` must be
/// open; afterwards `state` has the new files. Throws base::Error; the files are then either
/// unchanged or new.
Leftover copy_logged(ImageState& state, Survey survey);

/// Without a log: copies the tiles of HDF5's index and /tiles whose checksums match.
Leftover copy_indexed(ImageState& state, const ImageReader& reader);

/// Finishes the renaming of a copy that was interrupted; deletes an incomplete copy.
void settle_copy(const std::string& part);

}  // namespace tessera::store
