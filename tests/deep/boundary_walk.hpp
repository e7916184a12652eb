// Random places at the boundary of any formula's set.
#pragma once

#include <random>

#include "deep/deep_image.hpp"

namespace tessera::deep {

/// A place whose width is below 10^-depth. Its counts, by definition, are not all the same, unless
/// the walk got lost.
Place walk_to(std::mt19937_64& random, const Formula& formula, int depth);

}  // namespace tessera::deep
