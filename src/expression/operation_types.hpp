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

template <class Call>
auto with_integer(base::ElementType type, const Call& call) {
  using enum base::ElementType;
  switch (type) {
    case i8:
      return call(std::int8_t{});
    case i16:
      return call(std::int16_t{});
    case i32:
      return call(std::int32_t{});
    case i64:
      return call(std::int64_t{});
    case u8:
      return call(std::uint8_t{});
    case u16:
      return call(std::uint16_t{});
    case u32:
      return call(std::uint32_t{});
    default:
      return call(std::uint64_t{});
  }
}

template <class Call>
auto with_number(base::ElementType type, const Call& call) {
  return base::is_floating(type) ? with_real(type, call) : with_integer(type, call);
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
    case round_half:
      return with_real(node.from, one(OpTag<round_half>()));
    case negate:
      return with_number(node.from, one(OpTag<negate>()));
    case absolute:
      return with_number(node.from, one(OpTag<absolute>()));
    case sign:
      return with_number(node.from, one(OpTag<sign>()));
    case complement:
      return with_integer(node.from, one(OpTag<complement>()));
    case square_root:
      return with_real(node.from, one(OpTag<square_root>()));
    case floor:
      return with_real(node.from, one(OpTag<floor>()));
    case ceil:
      return with_real(node.from, one(OpTag<ceil>()));
    case rint:
      return with_real(node.from, one(OpTag<rint>()));
    case is_nan:
      return with_real(node.from, one(OpTag<is_nan>()));
    case is_finite:
      return with_real(node.from, one(OpTag<is_finite>()));
    case add:
      return with_number(node.from, two(OpTag<add>()));
    case subtract:
      return with_number(node.from, two(OpTag<subtract>()));
    case multiply:
      return with_number(node.from, two(OpTag<multiply>()));
    case divide:
      return with_real(node.from, two(OpTag<divide>()));
    case floor_divide:
      return with_number(node.from, two(OpTag<floor_divide>()));
    case modulo:
      return with_number(node.from, two(OpTag<modulo>()));
    case power:
      return with_integer(node.from, two(OpTag<power>()));
    case minimum:
      return with_number(node.from, two(OpTag<minimum>()));
    case maximum:
      return with_number(node.from, two(OpTag<maximum>()));
    case less:
      return with_number(node.from, two(OpTag<less>()));
    case less_equal:
      return with_number(node.from, two(OpTag<less_equal>()));
    case equal:
      return with_number(node.from, two(OpTag<equal>()));
    case not_equal:
      return with_number(node.from, two(OpTag<not_equal>()));
    case bit_and:
      return with_integer(node.from, two(OpTag<bit_and>()));
    case bit_or:
      return with_integer(node.from, two(OpTag<bit_or>()));
    case fused_multiply_add:
      return with_real(node.from, three(OpTag<fused_multiply_add>()));
    case multiply_add:
      return with_real(node.from, three(OpTag<multiply_add>()));
    case multiply_subtract:
      return with_real(node.from, three(OpTag<multiply_subtract>()));
    case multiply_add_root:
      return with_real(node.from, three(OpTag<multiply_add_root>()));
    case add_products:
      return with_real(node.from, four(OpTag<add_products>()));
    case subtract_products:
      return with_real(node.from, four(OpTag<subtract_products>()));
    case add_products_root:
      return with_real(node.from, four(OpTag<add_products_root>()));
    case select:
      return with_number(node.from, [&](auto x) { return make.select(x); });
    case select_less:
      return with_real(node.from, select_if(OpTag<select_less>()));
    case select_less_equal:
      return with_real(node.from, select_if(OpTag<select_less_equal>()));
    case select_equal:
      return with_real(node.from, select_if(OpTag<select_equal>()));
    case select_not_equal:
      return with_real(node.from, select_if(OpTag<select_not_equal>()));
    case input:
    case constant:
    case index:
    case function:
      break;
  }
  throw base::run_error("an expression's operation {} has no kernel", static_cast<int>(node.op));
}

}  // namespace tessera::expression
