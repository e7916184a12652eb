// Files beside that of a dataset which have its elements. Private to this room.
#pragma once

#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// Missing error for one that is not there, of an external or a virtual dataset.
void check_other_files(const Hdf5Dataset& data);

}  // namespace tessera::store
