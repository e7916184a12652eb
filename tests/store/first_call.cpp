#include "store/hdf5/handle.hpp"

namespace {

// Before any test calls HDF5 by itself: its exit handler comes with its first call, and crashes on
// what a full disk left.
[[maybe_unused]] const bool kTamed = (tessera::store::tame_hdf5(), true);

}  // namespace
