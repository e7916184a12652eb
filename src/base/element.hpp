// The element types of arrays in memory, in chunks and in files.
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::base {

enum class ElementType { u16, u32, f32 };

constexpr std::size_t element_bytes(ElementType type) {
  return type == ElementType::u16 ? 2 : 4;
}

constexpr std::string_view element_name(ElementType type) {
  switch (type) {
    case ElementType::u16:
      return "u16";
    case ElementType::u32:
      return "u32";
    case ElementType::f32:
      return "f32";
  }
  return "?";
}

}  // namespace tessera::base
