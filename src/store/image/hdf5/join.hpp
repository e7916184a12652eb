// The rows of datasets that lie in the parts of an image, as a virtual dataset has them. Private to
// this folder.
#pragma once

#include <span>
#include <string>

#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// Rows of datasets of equal shape in several files: block b of them lies in part b modulo `parts`.
struct PartRows {
  std::string folder;  ///< as a file beside it names it
  int parts = 1;

  /// Sets the sources of a dataset called `name`, of which `block` rows are in one part. Returns
  /// its dataspace. HDF5 finds them beside the file.
  Handle map(const CheckedCall& h5, const Handle& plist, const std::string& name,
             std::span<const hsize_t> size, std::int64_t block) const;
};

}  // namespace tessera::store
