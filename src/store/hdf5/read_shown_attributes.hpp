// Reads attributes of any type. Private to this folder.
#pragma once

#include <vector>

#include "store/hdf5/handle.hpp"
#include "store/hdf5/shown_attributes.hpp"

namespace tessera::store {

/// All attributes of the object, in order of creation if the file has recorded it. One that cannot
/// be read says why.
std::vector<ShownAttribute> read_shown_attributes(const CheckedCall& h5, const Handle& object);

}  // namespace tessera::store
