// Remarks about extremes that look like elements which are none.
#pragma once

#include "statistics/partial.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Says so if an extreme of an array from HDF5 is what netCDF has where nothing was written, and if
/// the least of times is NaT. `all` has extremes.
void tell_fill(const store::ArraySource& source, const statistics::ReductionSpec& spec,
               const statistics::Partial& all);

}  // namespace tessera::reduce
