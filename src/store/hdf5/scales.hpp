// Dimension scales that are written: HDF5 Dimension Scale Specification 1.0, as netCDF-4 has them.
// Private to store.
#pragma once

#include <vector>

#include "store/arrays/written_array.hpp"
#include "store/hdf5/handle.hpp"

namespace tessera::store {

inline constexpr const char* kDimensionList = "DIMENSION_LIST";
/// How netCDF-4 begins the name of a dimension without coordinates, but for a dot, which older
/// versions of Tessera did not write.
inline constexpr const char* kNoVariable = "This is a netCDF dimension but not a netCDF variable";

/// Writes the scales of the arrays, which are in the file, and attaches them. One that is there
/// already is used if it has the same length and, where both have coordinates, the same ones with
/// the same texts; otherwise the dimension gets another name: netCDF opens no file in which a
/// dimension of an array has a scale and another one has none.
void write_scales(const CheckedCall& h5, const Handle& file,
                  const std::vector<WrittenArray>& arrays);

/// Whether the object is a scale that arrays in the file use.
bool is_used_scale(const CheckedCall& h5, const Handle& object);

}  // namespace tessera::store
