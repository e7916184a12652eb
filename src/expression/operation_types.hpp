// Calls a template with an operation and the type of its elements, both known when a program is
// compiled.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/element.hpp"
#include "base/error.hpp"
#include "expression/program.hpp"

namespace tessera::expression {

template <class Call>
auto with_real(base::ElementType type, const Call& call) {
  return type == base::ElementType::f32 ? call(float{}) : call(double{});
}

/// `type`: no float.
template <class Call>
auto with_integer(base::ElementType type, const Call& call) {
  return base::with_element_type(type, [&]<class T>(T x) {
    if constexpr (std::is_integral_v<T>) return call(x);
    if constexpr (!std::is_integral_v<T>) return call(std::uint64_t{});
  });
}

/// `type`: not f16, which programs widen.
template <class Call>
auto with_number(base::ElementType type, const Call& call) {
  return base::with_element_type(type, call);
}

template <Op kOp>
using OpTag = std::integral_constant<Op, kOp>;

/// make.one(OpTag, T{}), .two, .three, .four, .cast(To{}, From{}), .select(T{}) or
/// .select_if(OpTag, T{}) for the node's operation and the type of its elements. All return the
/// same type.
template <class Make>
auto with_operation(const Node& node, const Make& make) {
  using enum Op;
  const auto one = [&]<Op kOp>(OpTag<kOp> tag) {
    return [&make, tag](auto x) { return make.one(tag, x); };
  };
  const auto two = [&]<Op kOp>(OpTag<kOp> tag) {
    return [&make, tag](auto x) { return make.two(tag, x); };
  };
  const auto three = [&]<Op kOp>(OpTag<kOp> tag) {
    return [&make, tag](auto x) { return make.three(tag, x); };
  };
  const auto four = [&]<Op kOp>(OpTag<kOp> tag) {
    return [&make, tag](auto x) { return make.four(tag, x); };
  };
  const auto select_if = [&]<Op kOp>(OpTag<kOp> tag) {
    return [&make, tag](auto x) { return make.select_if(tag, x); };
  };
  switch (node.op) {
    case cast:
      return with_number(node.from, [&](auto from) {
        return with_number(node.to, [&](auto to) { return make.cast(to, from); });
      });
    case widen_half:
      return make.one(OpTag<widen_half>(), std::uint16_t{});
    case narrow_half:
      return make.one(OpTag<narrow_half>(), float{});
    case select:
      return with_number(node.from, [&](auto x) { return make.select(x); });
      // clang-format off
#define TS_ROW(op, numbers, arguments) \
  case op:                             \
    return with_##numbers(node.from, arguments(OpTag<op>()));
    TS_ROW(round_half, real, one)
    TS_ROW(negate, number, one)
    TS_ROW(absolute, number, one)
    TS_ROW(sign, number, one)
    TS_ROW(complement, integer, one)
    TS_ROW(square_root, real, one)
    TS_ROW(floor, real, one)
    TS_ROW(ceil, real, one)
    TS_ROW(rint, real, one)
    TS_ROW(is_nan, real, one)
    TS_ROW(is_finite, real, one)
    TS_ROW(add, number, two)
    TS_ROW(subtract, number, two)
    TS_ROW(multiply, number, two)
    TS_ROW(divide, real, two)
    TS_ROW(floor_divide, number, two)
    TS_ROW(modulo, number, two)
    TS_ROW(power, integer, two)
    TS_ROW(minimum, number, two)
    TS_ROW(maximum, number, two)
    TS_ROW(less, number, two)
    TS_ROW(less_equal, number, two)
    TS_ROW(equal, number, two)
    TS_ROW(not_equal, number, two)
    TS_ROW(bit_and, integer, two)
    TS_ROW(bit_or, integer, two)
    TS_ROW(fused_multiply_add, real, three)
    TS_ROW(multiply_add, real, three)
    TS_ROW(multiply_subtract, real, three)
    TS_ROW(multiply_add_root, real, three)
    TS_ROW(add_products, real, four)
    TS_ROW(subtract_products, real, four)
    TS_ROW(add_products_root, real, four)
    TS_ROW(select_less, real, select_if)
    TS_ROW(select_less_equal, real, select_if)
    TS_ROW(select_equal, real, select_if)
    TS_ROW(select_not_equal, real, select_if)
      // clang-format on
#undef TS_ROW
    case input:
    case constant:
    case index:
    case function:
      break;
  }
  throw base::run_error("an expression's operation {} has no kernel", static_cast<int>(node.op));
}

}  // namespace tessera::expression
