// Broken links of HDF5 files. Private to this folder.
#pragma once

#include <string>

#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// Why HDF5 finds no object at `path` although there is a link: "/a is a link to /b in gone.h5,
/// which is not there". "" if there is no such link.
std::string broken_link(const CheckedCall& h5, const Handle& file, const std::string& path);

}  // namespace tessera::store
