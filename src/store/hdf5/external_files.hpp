// External storage of a dataset: raw files that hold its elements. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// The places of the files. Throws a missing error if one is not there, and a usage error if one is
/// shorter than the dataset needs: H5Dread would return zeros. `name`: of the dataset.
std::vector<std::string> check_external_files(const CheckedCall& h5, const Handle& dataset,
                                              const std::string& name);

}  // namespace tessera::store
