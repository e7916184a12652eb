// Reads the attributes of a dataset that say how its numbers are meant. Private to this folder and
// to store/arrays.
#pragma once

#include <memory>

#include "store/arrays/packed_attributes.hpp"
#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// Those of kPackedNames that the dataset has; null if it has none.
std::shared_ptr<const PackedAttributes> read_packed_attributes(const Hdf5Dataset& data);

}  // namespace tessera::store
