// TESSERA_CHECK_HDF5=1: whatever is read past HDF5 is read through it again, and compared. Private
// to this room.
#pragma once

#include <memory>

#include "store/arrays/array_source.hpp"
#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// Whether the environment orders it.
bool checks_hdf5();

/// Run error, naming the box and the first element that differs, unless `elements` are those that
/// H5Dread has for the box. Any thread.
void check_hdf5(const Hdf5Dataset& data, const plan::Box& box, std::span<const std::byte> elements);

/// The same array, of which all that is read is checked.
std::unique_ptr<ArraySource> check_stretch(std::unique_ptr<ArraySource> stretch, Hdf5Dataset data);

}  // namespace tessera::store
