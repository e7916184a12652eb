// Bools in arrays: a byte each, of which any but 0 is true.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/element.hpp"

namespace tessera::base {

/// Makes every byte 0 or 1: files may have others, and arithmetic would take them as they are.
inline void make_bools(std::span<std::byte> elements) {
  for (std::byte& element : elements) element = std::byte{element != std::byte{0}};
}

/// As element_code(type), of elements that may be bools: "b1".
constexpr std::string_view element_code(ElementType type, bool is_boolean) {
  return is_boolean ? "b1" : element_code(type);
}

}  // namespace tessera::base
