// The types of elements: of HDF5 in a file, of HDF5 in memory, and Tessera's. Private to this
// folder.
#pragma once

#include <string>

#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// Finds out which type the dataset's elements have, and how they are stored. Throws a usage error
/// that begins with `input` if they are no numbers.
void set_type(Hdf5Dataset& data, const job::ArrayInput& input);

/// The type for H5Dread of the dataset.
Handle read_type(const Hdf5Dataset& data);

/// `type` in this machine's byte order.
Handle memory_type(const CheckedCall& h5, base::ElementType type);

/// The contents of a type that is no number of Tessera: "strings", "records of 2 members".
std::string content_name(const CheckedCall& h5, const Handle& type);

}  // namespace tessera::store
