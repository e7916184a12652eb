// Calls a template with the type of the elements that some bytes hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/element.hpp"
#include "statistics/half.hpp"

namespace tessera::statistics {

/// work(value of the element's C++ type; f16 as std::uint16_t) with a value that says only its
/// type.
template <class Work>
decltype(auto) with_element_type(base::ElementType type, const Work& work) {
  using enum base::ElementType;
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

/// visit(x) with each element as an f64, rounded where it has more than 53 bits.
template <class Visit>
void for_each_real(std::span<const std::byte> elements, base::ElementType type,
                   const Visit& visit) {
  with_element_type(type, [&]<class T>(T) {
    for (std::size_t at = 0; at + sizeof(T) <= elements.size(); at += sizeof(T)) {
      T element;
      std::memcpy(&element, elements.data() + at, sizeof(T));
      if (type == base::ElementType::f16) {
        visit(static_cast<double>(widen_half(static_cast<std::uint16_t>(element))));
      } else {
        visit(static_cast<double>(element));
      }
    }
  });
}

}  // namespace tessera::statistics
