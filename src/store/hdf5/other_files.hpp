// Finds the other files that hold elements of a dataset. Private to this folder.
#pragma once

#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// Throws a missing error if a file of an external or virtual dataset does not exist.
void check_other_files(const Hdf5Dataset& data);

}  // namespace tessera::store
