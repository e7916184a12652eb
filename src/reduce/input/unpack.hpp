// Unpacks stored elements: value = round(round(x * scale) + offset), two rounded operations.
#pragma once

#include <cstddef>
#include <span>

#include "reduce/input/element_rule.hpp"

namespace tessera::reduce {

/// As many values, of the type rule.value, as there are `stored` elements, in this machine's byte
/// order. Missing elements become markers, or NaN if the rule has none. Of floats with markers, a
/// NaN that has the bits of a marker becomes another NaN.
void unpack(const ElementRule& rule, std::span<const std::byte> stored,
            std::span<std::byte> values);

}  // namespace tessera::reduce
