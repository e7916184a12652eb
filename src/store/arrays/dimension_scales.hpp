// The dimensions of arrays that are written, as scales with their coordinates.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/arrays/dimension.hpp"
#include "store/arrays/written_array.hpp"

namespace tessera::store {

/// Scales of dimensions with these lengths. One without a name is dim_0, dim_1, ... by its place,
/// but all are null if none has one. Reads the coordinates, where they can be read: as many numbers
/// as the dimension has, and with the same attributes in all joined files.
std::vector<std::shared_ptr<const WrittenScale>> read_scales(
    const std::vector<Dimension>& dimensions, const plan::Shape& lengths);

}  // namespace tessera::store
