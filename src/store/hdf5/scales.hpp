// Dimension scales that are written: HDF5 Dimension Scale Specification 1.0, and netCDF-4's name of
// a dimension without coordinates. Private to store.
#pragma once

#include <vector>

#include "store/arrays/written_array.hpp"
#include "store/hdf5/handle.hpp"

namespace tessera::store {

inline constexpr const char* kDimensionList = "DIMENSION_LIST";
inline constexpr const char* kNoVariable = "This is a netCDF dimension but not a netCDF variable";

/// Writes the scales of the arrays, which are in the file, and attaches them. A scale that is there
/// already stays if it has the same length and, where both have coordinates, the same ones;
/// otherwise the dimensions stay without a scale.
void write_scales(const CheckedCall& h5, const Handle& file,
                  const std::vector<WrittenArray>& arrays);

}  // namespace tessera::store
