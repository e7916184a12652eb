// An array of the numbers that stored elements stand for.
#pragma once

#include <memory>

#include "reduce/input/element_rule.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Wraps `stored`: everything that is read goes through unpack(). Threads read it at the same time,
/// and each decompresses chunks by itself.
std::unique_ptr<store::ArraySource> decode(std::unique_ptr<store::ArraySource> stored,
                                           MadeRule made);

}  // namespace tessera::reduce
