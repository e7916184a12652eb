// Which scale the dimension of an array gets in a file, where others may have its name.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/arrays/written_array.hpp"

namespace tessera::store {

/// Whether the array is the scale of its only dimension, whose name it has.
bool is_own_scale(const WrittenArray& array);

/// Whether one of the arrays, its edges or a group that it is in has the name.
bool is_taken(const std::string& name, const std::vector<WrittenArray>& arrays);

/// Calls `take` with the scales that have coordinates, and their places. They come before others:
/// these share theirs.
void for_each_coordinate(
    const std::vector<WrittenArray>& arrays,
    const std::function<void(const std::shared_ptr<const WrittenScale>&, std::size_t)>& take);

/// Whether a dimension without coordinates, or beside one without them, gets a scale of its name
/// and length that is there: as in netCDF and xarray, but not by a name that was made up.
bool serves_by_name(const WrittenScale& scale, bool has_coordinates_there);

/// The scale itself or, if it does not fit, the first that does of those without coordinates that
/// are named by their place: dim_0, dim_0_12, dim_0_12_2, ...; 12 is the length. Readers would take
/// two dimensions of one name for one.
std::shared_ptr<const WrittenScale> fitting_scale(
    const std::shared_ptr<const WrittenScale>& scale, std::size_t place,
    const std::function<bool(const std::shared_ptr<const WrittenScale>&)>& fits);

}  // namespace tessera::store
