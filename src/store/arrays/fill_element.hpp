// A number, as files write their fill values, as an element.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/element.hpp"

namespace tessera::store {

/// The element of this type and of the machine's byte order, rounded for floating types. Nothing
/// for a number that the type does not have: a part of an integer, or one out of range.
std::optional<std::vector<std::byte>> fill_element(long double value, base::ElementType type);

}  // namespace tessera::store
