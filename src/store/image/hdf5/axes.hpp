// The coordinates of the pixels as dimension scales of HDF5: /re of columns, /im of rows.
#pragma once

#include "store/hdf5/handle.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

/// Adds the scales to the file and attaches them to all fields. An image that has no coordinates,
/// or more rows or columns than kMaxOnAxis, gets none.
void write_axes(const CheckedCall& h5, const Handle& file, const ImageHeader& header);
/// Whether any part of them is in the file.
bool has_axes(const CheckedCall& h5, const Handle& file, const ImageHeader& header);

}  // namespace tessera::store
