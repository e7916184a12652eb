// Names of the dimensions of a dataset: dimension scales (HDF5 Dimension Scale Specification 1.0),
// as netCDF-4 and h5py write them, or labels. Private to store.
#pragma once

#include <vector>

#include "store/arrays/dimension.hpp"
#include "store/hdf5/dataset.hpp"

namespace tessera::store {

bool is_scale(const CheckedCall& h5, const Handle& dataset);

/// Whether it is the scale of a dimension without coordinates, whose numbers mean nothing.
bool is_bare_dimension(const CheckedCall& h5, const Handle& dataset);

/// Of what cannot be read, no name.
std::vector<Dimension> read_dimensions(const Hdf5Dataset& data, const job::ArrayInput& input);

/// Its attributes that are one text.
std::vector<TextAttribute> read_texts(const CheckedCall& h5, const Handle& dataset);

}  // namespace tessera::store
