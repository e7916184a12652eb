// Which filters of HDF5 datasets can be undone, by HDF5 with its plug-ins or by Tessera. Private to
// this folder.
#pragma once

#include <string>

#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// Adds LZF to this process's HDF5, so that H5Dread undoes it without a plug-in.
void add_lzf_to_hdf5();

/// Throws a missing error if a stored chunk went through a filter that HDF5 has no plug-in for, or
/// that plug-ins in use misread without an error. `name`: of the dataset, for the message.
void check_filters(const CheckedCall& h5, const Handle& dataset, const std::string& name);

/// Whether H5Dread reads chunks of a dataset whichever filters they went through.
bool hdf5_undoes_all(const CheckedCall& h5, const Handle& creation);

}  // namespace tessera::store
