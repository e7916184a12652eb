// A small sample of the elements of an array, from all over it.
#pragma once

#include "statistics/order/rank_search.hpp"
#include "statistics/order/weighted_sample.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// The same for the same array. Reads some runs of neighbouring elements, or, if the array is
/// stored in chunks, some elements of a few chunks. Throws base::Error (failed) that names the
/// array.
statistics::KeySample read_key_sample(const store::ArraySource& source);
/// The same of an array of pairs.
statistics::WeightedSample read_weighted_sample(const store::ArraySource& source);

}  // namespace tessera::reduce
