// Divides an array into the chunks of another one, so that each chunk is decompressed once.
#pragma once

#include <memory>

#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// If exactly one of two arrays of one shape is divided into boxes, divides the other one into the
/// same boxes, unless it consists of several files with chunks.
void cut_alike(std::unique_ptr<store::ArraySource>& x, std::unique_ptr<store::ArraySource>& y);

}  // namespace tessera::reduce
