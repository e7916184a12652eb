// An array with the shape of a larger one, whose elements repeat along some dimensions.
#pragma once

#include <memory>

#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Whether NumPy would broadcast an array of the shape `from` to `to`.
bool broadcasts(const plan::Shape& from, const plan::Shape& to);

/// `array`, repeated to `shape`, in pieces of `run_elements`.
std::unique_ptr<store::ArraySource> broadcast(std::unique_ptr<store::ArraySource> array,
                                              plan::Shape shape, std::int64_t run_elements);

}  // namespace tessera::reduce
