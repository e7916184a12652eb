// Conversions by HDF5 of the numbers of a virtual dataset, whose sources may have other types.
// Private to this folder.
#pragma once

#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// A property list with which H5Dread fails, and sets `changed`, where it would otherwise read
/// another number silently: an integer out of range, a fraction or a NaN as an integer. Rounding to
/// a float is no such change. `changed` must outlive it.
Handle strict_transfer(const CheckedCall& h5, bool& changed);

}  // namespace tessera::store
