// The element types of arrays in memory, in chunks and in files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::base {

enum class ElementType { i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 };

namespace detail {

struct ElementTraits {
  std::size_t bytes;
  std::string_view name;
  std::string_view code;
};

/// In the order of ElementType.
inline constexpr std::array<ElementTraits, 11> kElements = {{{1, "i8", "i1"},
                                                             {2, "i16", "i2"},
                                                             {4, "i32", "i4"},
                                                             {8, "i64", "i8"},
                                                             {1, "u8", "u1"},
                                                             {2, "u16", "u2"},
                                                             {4, "u32", "u4"},
                                                             {8, "u64", "u8"},
                                                             {2, "f16", "f2"},
                                                             {4, "f32", "f4"},
                                                             {8, "f64", "f8"}}};

}  // namespace detail

constexpr std::size_t element_bytes(ElementType type) {
  return detail::kElements[static_cast<std::size_t>(type)].bytes;
}

/// The name with the size in bits: "u16".
constexpr std::string_view element_name(ElementType type) {
  return detail::kElements[static_cast<std::size_t>(type)].name;
}

/// The code with the size in bytes, as in NumPy: "u2".
constexpr std::string_view element_code(ElementType type) {
  return detail::kElements[static_cast<std::size_t>(type)].code;
}

constexpr std::optional<ElementType> find_element(std::string_view code) {
  for (std::size_t i = 0; i < detail::kElements.size(); ++i) {
    if (detail::kElements[i].code == code) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

constexpr bool is_floating(ElementType type) {
  return type >= ElementType::f16;
}

/// work(value of the element's C++ type; f16 as std::uint16_t) with a value that says only
/// its type.
template <class Work>
decltype(auto) with_element_type(ElementType type, const Work& work) {
  using enum ElementType;
  switch (type) {
    case i8:
      return work(std::int8_t{});
    case i16:
      return work(std::int16_t{});
    case i32:
      return work(std::int32_t{});
    case i64:
      return work(std::int64_t{});
    case u8:
      return work(std::uint8_t{});
    case u16:
    case f16:
      return work(std::uint16_t{});
    case u32:
      return work(std::uint32_t{});
    case u64:
      return work(std::uint64_t{});
    case f32:
      return work(float{});
    case f64:
      break;
  }
  return work(double{});
}

}  // namespace tessera::base
