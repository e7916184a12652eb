// An array read in the boxes of another one, whose chunks are then inflated once.
#pragma once

#include <memory>

#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Of two arrays of one shape, one in boxes and one not, the other is cut into the same boxes,
/// unless it is several files with chunks.
void cut_alike(std::unique_ptr<store::ArraySource>& x, std::unique_ptr<store::ArraySource>& y);

}  // namespace tessera::reduce
