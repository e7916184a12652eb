#include "statistics/order/element_key.hpp"

#include <fmt/format.h>

#include "statistics/half.hpp"

namespace tessera::statistics {

namespace {

using base::ElementType;

/// The bits of +infinity.
std::uint64_t infinity_bits(ElementType type) {
  if (type == ElementType::f16) return 0x7c00;
  return type == ElementType::f32 ? 0x7f800000 : 0x7ff0000000000000;
}

ElementKey sign_key(ElementType type) {
  return ElementKey{1} << (key_bits(type) - 1);
}

}  // namespace

NumberKeys number_keys(ElementType type) {
  const ElementKey all = greatest_key(type);
  if (!base::is_floating(type)) return {0, all};
  const std::uint64_t bits = infinity_bits(type);
  return {all & ~(bits | sign_key(type)), bits | sign_key(type)};
}

kernels::Int128 integer_of_key(ElementKey key, ElementType type) {
  const auto wide = static_cast<kernels::Int128>(key);
  return type <= ElementType::i64 ? wide - static_cast<kernels::Int128>(sign_key(type)) : wide;
}

double real_of_key(ElementKey key, ElementType type) {
  switch (type) {
    case ElementType::f64:
      return std::bit_cast<double>(bits_of_key(key));
    case ElementType::f32:
      return std::bit_cast<float>(bits_of_key(static_cast<std::uint32_t>(key)));
    case ElementType::f16:
      return widen_half(bits_of_key(static_cast<std::uint16_t>(key)));
    default:
      return static_cast<double>(integer_of_key(key, type));
  }
}

Value value_of_key(ElementKey key, ElementType type) {
  if (!base::is_floating(type)) return {fmt::format("{}", integer_of_key(key, type)), {}};
  const double x = real_of_key(key, type);
  return {fmt::format("{}", x), x};
}

ElementKey zero_key(ElementType type) {
  return base::is_floating(type) ? sign_key(type) : 0;
}

ElementKey unsigned_zero_key(ElementKey key, ElementType type) {
  const bool negative_zero = base::is_floating(type) && key == sign_key(type) - 1;
  return negative_zero ? sign_key(type) : key;
}

}  // namespace tessera::statistics
