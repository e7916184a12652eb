// The elements that some bytes hold, as f64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/element.hpp"
#include "statistics/half.hpp"

namespace tessera::statistics {

/// visit(x) with each element as an f64, rounded where it has more than 53 bits.
template <class Visit>
void for_each_real(std::span<const std::byte> elements, base::ElementType type,
                   const Visit& visit) {
  base::with_element_type(type, [&]<class T>(T) {
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
