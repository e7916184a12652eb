// TESSERA_CHECK_HDF5=1: everything that is read without HDF5 is read again through it and compared.
// Private to this folder.
#pragma once

#include <memory>

#include "store/arrays/array_source.hpp"
#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// True if the environment requests the check.
bool checks_hdf5();

/// Throws a run error that names the box and the first differing element, unless `elements` equal
/// those that H5Dread returns for the box. Any thread may call it.
void check_hdf5(const Hdf5Dataset& data, const plan::Box& box, std::span<const std::byte> elements);

/// Wraps an array so that everything read from it is checked.
std::unique_ptr<ArraySource> check_stretch(std::unique_ptr<ArraySource> stretch, Hdf5Dataset data);

}  // namespace tessera::store
