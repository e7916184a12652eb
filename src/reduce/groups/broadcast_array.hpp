// An array with the shape of a larger one, whose elements repeat along some dimensions.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// `array`, repeated to `shape`, in pieces of `run_elements`. `places`: for each of its dimensions
/// the one of `shape`, which has as many elements, or any if it has one.
std::unique_ptr<store::ArraySource> broadcast(std::unique_ptr<store::ArraySource> array,
                                              std::vector<std::size_t> places, plan::Shape shape,
                                              std::int64_t run_elements);

}  // namespace tessera::reduce
