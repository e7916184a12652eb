// What others have added to an image: attributes and objects that Tessera does not make. Private to
// this folder.
#pragma once

#include <string>

#include "store/hdf5/handle.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

/// Copies them from the image `path`, which nobody is writing, to `to`, a new file of the same
/// image. What cannot be copied is said and left out, also references: they mean places in the old
/// file.
void copy_additions(const std::string& path, const CheckedCall& h5, const Handle& to,
                    const ImageHeader& header);

}  // namespace tessera::store
