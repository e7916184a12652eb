// HDF5's settings that only the environment can change.
#pragma once

namespace tessera::store {

/// HDF5 opens the files behind links and virtual datasets with locks of its own choice, and
/// silently not at all if they are open already without locks, as Tessera opens files. The
/// environment decides for all; what it says already stays. To be called by a process that belongs
/// to Tessera, before it has threads, which may be reading the environment.
void set_hdf5_environment() noexcept;

}  // namespace tessera::store
