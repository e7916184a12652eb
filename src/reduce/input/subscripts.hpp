// Subscripts in expressions, x[1:] and m[k]: each becomes an input of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "reduce/input/expression_array.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// The same expressions without subscripts. An array with a subscript is one more input, under a
/// name as long as the text was, so that columns of messages stay what they are. Throws usage
/// errors for brackets that are not closed.
ExpressionSpec without_subscripts(const ExpressionSpec& spec);

/// The input `number` of such a spec: a slice of an array, or m[k], which has the shape of k and of
/// a row of m, as in NumPy. `array`: the input as it is. Throws usage errors for a subscript that
/// does not fit.
std::unique_ptr<store::ArraySource> subscripted(const ExpressionSpec& spec, std::size_t number,
                                                std::unique_ptr<store::ArraySource> array,
                                                std::int64_t piece_bytes);

}  // namespace tessera::reduce
