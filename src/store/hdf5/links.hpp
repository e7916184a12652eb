// Broken links of HDF5 files. Private to this folder.
#pragma once

#include <string>

#include "store/hdf5/handle.hpp"

namespace tessera::store {

struct BrokenLink {
  std::string what;  ///< "/a is a link to /b in gone.h5, which is not there"; "" = no such link
  base::ExitCode code = base::ExitCode::missing;  ///< usage: what is there cannot be read
};

/// Why HDF5 finds no object at `path` although there is a link.
BrokenLink broken_link(const CheckedCall& h5, const Handle& file, const std::string& path);

}  // namespace tessera::store
