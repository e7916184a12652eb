// What any HDF5 file has, by name.
#pragma once

#include <string>
#include <vector>

#include "store/image/image_file.hpp"

namespace tessera::store {

struct Hdf5Contents {
  Attributes attributes;              ///< of the file: texts and numbers
  std::vector<std::string> datasets;  ///< the first ones: "/a", "/group/b"
  bool more = false;                  ///< there are more datasets
};

/// Throws a missing error if the file does not exist, and a usage error if it is not HDF5.
Hdf5Contents list_hdf5(const std::string& path);

}  // namespace tessera::store
