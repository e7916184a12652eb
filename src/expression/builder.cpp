#include "expression/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "expression/functions.hpp"
#include "expression/scalar.hpp"
#include "expression/weak_numbers.hpp"
#include "statistics/half.hpp"

namespace tessera::expression {
namespace {

using base::ElementType;

bool is_comparison(Op op) {
  return op >= Op::less && op <= Op::not_equal;
}

/// Whether the result of an operation on halves has to be rounded to one.
bool rounds(Op op) {
  return op == Op::square_root || op == Op::function || op == Op::fused_multiply_add ||
         (op >= Op::add && op <= Op::modulo);
}

/// The type of an operation on all of these: of the arrays, and of what the numbers among them
/// need.
Type common_type(std::initializer_list<const Value*> values) {
  bool any = false;
  Type type = Type::b1;
  for (const Value* const value : values) {
    if (value->is_weak()) continue;
    type = any ? promote(type, value->type) : value->type;
    any = true;
  }
  for (const Value* const value : values) {
    if (value->kind == Value::Kind::whole && type == Type::b1) type = Type::i8;
    if (value->kind == Value::Kind::real && !is_real(type)) type = Type::f8;
  }
  return type;
}

using Cells = std::array<Cell, kMaxArguments>;

/// An operation on f8.
Value weak_result(Op op, const Cells& cells) {
  return Builder::real(value_in<double>(compute({.op = op}, cells.data())));
}

Mistake sign_of_bools(std::string_view sign) {
  return Mistake(fmt::format("{} takes numbers; cast the bools, as in i1(x)", sign));
}

/// For operations of integers that bools do not have.
Type no_bool(Type type) {
  return type == Type::b1 ? Type::i1 : type;
}

}  // namespace

Builder::Builder(std::span<const Type> inputs) : inputs_(inputs.begin(), inputs.end()) {}

int Builder::add(const Node& node) {
  const Key key(node.op, node.from, node.to, node.arguments, node.detail);
  const auto [found, is_new] = numbers_.try_emplace(key, static_cast<int>(nodes_.size()));
  if (!is_new) return found->second;
  const auto is_constant = [&](int argument) {
    return argument == kNoValue || nodes_[static_cast<std::size_t>(argument)].op == Op::constant;
  };
  if (node.arguments[0] == kNoValue || !std::ranges::all_of(node.arguments, is_constant)) {
    nodes_.push_back(node);
    return found->second;
  }
  numbers_.erase(found);
  Cells cells{};
  for (std::size_t i = 0; i < cells.size() && node.arguments[i] != kNoValue; ++i) {
    cells[i] = nodes_[static_cast<std::size_t>(node.arguments[i])].detail;
  }
  return add({.op = Op::constant, .to = node.to, .detail = compute(node, cells.data())});
}

int Builder::constant(Type type, std::uint64_t cell) {
  return add({.op = Op::constant, .to = lane_of(type), .detail = cell});
}

Value Builder::emit(Op op, Type type, std::initializer_list<int> arguments) {
  Node node{.op = op, .from = lane_of(type), .to = lane_of(type)};
  std::ranges::copy(arguments, node.arguments.begin());
  int result = add(node);
  if (type == Type::f2 && rounds(op)) {
    result = add({.op = Op::round_half,
                  .from = ElementType::f32,
                  .to = ElementType::f32,
                  .arguments = {result, kNoValue, kNoValue, kNoValue}});
  }
  return {.type = type, .node = result};
}

Value Builder::emit_truth(Op op, Type type, int x, int y) {
  return {.type = Type::b1,
          .node = add({.op = op,
                       .from = lane_of(type),
                       .to = ElementType::u8,
                       .arguments = {x, y, kNoValue, kNoValue}})};
}

Value Builder::input(std::size_t number) {
  const ElementType element = element_of(inputs_[number]);
  int node = add({.op = Op::input, .to = element, .detail = number});
  if (element == ElementType::f16) {
    node = add({.op = Op::widen_half,
                .from = ElementType::u16,
                .to = ElementType::f32,
                .arguments = {node, kNoValue, kNoValue, kNoValue}});
  }
  return {.type = inputs_[number], .node = node};
}

Value Builder::index(std::uint64_t dimension) {
  return {.type = Type::i8,
          .node = add({.op = Op::index, .to = ElementType::i64, .detail = dimension})};
}

Value Builder::whole(Whole number) {
  return {.kind = Value::Kind::whole, .whole = number, .real = static_cast<double>(number)};
}

Value Builder::real(double number) {
  return {.kind = Value::Kind::real, .real = number};
}

int Builder::as(Type type, const Value& x) {
  if (!x.is_weak()) return convert(type, x);
  if (type == Type::f8) return constant(type, cell_of(x.real));
  if (type == Type::f4) return constant(type, cell_of(static_cast<float>(x.real)));
  if (type == Type::f2) {
    return constant(type, cell_of(static_cast<float>(statistics::round_to_half(x.real))));
  }
  if (type == Type::b1) return constant(type, cell_of(static_cast<std::uint8_t>(x.real != 0)));
  if (!fits(x.whole, type)) {
    throw Mistake(fmt::format("{} does not fit {}; write f8({}) or another type",
                              format_whole(x.whole), name_of(type), format_whole(x.whole)));
  }
  return constant(type, cell_of(static_cast<std::uint64_t>(x.whole)) & mask_of(type));
}

int Builder::convert(Type to, const Value& x) {
  if (x.type == to) return x.node;
  if (to == Type::b1) {
    return emit_truth(Op::not_equal, x.type, x.node, constant(x.type, 0)).node;
  }
  Node node{.op = Op::cast, .from = lane_of(x.type), .to = lane_of(to)};
  node.arguments[0] = x.node;
  if (to == Type::f2 && is_real(x.type)) node.op = Op::round_half;
  // An integer that has the same bytes in both types.
  const bool same_bytes = !is_real(to) && !is_real(x.type) &&
                          base::element_bytes(node.from) == base::element_bytes(node.to);
  if (same_bytes || (node.from == node.to && node.op == Op::cast)) return x.node;
  const int result = add(node);
  if (to != Type::f2 || is_real(x.type)) return result;
  return convert(to, {.type = Type::f4, .node = result});
}

/// Bools have no signs, as in NumPy.
Value Builder::plus(const Value& x) {
  if (!x.is_weak() && x.type == Type::b1) throw sign_of_bools("+");
  return x;
}

Value Builder::unary(Op op, const Value& x) {
  if (op == Op::is_nan || op == Op::is_finite) {
    const Type type = x.is_weak() ? Type::f8 : x.type;
    if (is_real(type)) return emit_truth(op, type, as(type, x), kNoValue);
    return {.type = Type::b1,
            .node = constant(Type::b1, static_cast<std::uint64_t>(op == Op::is_finite))};
  }
  if (x.is_weak()) return weak_unary(op, x);
  const bool integer = !is_real(x.type);
  switch (op) {
    case Op::floor:
    case Op::ceil:
      if (integer) return x;
      break;
    case Op::rint:
    case Op::square_root:
      return emit(op, real_of(x.type), {as(real_of(x.type), x)});
    case Op::absolute:
      if (!is_signed(x.type)) return x;
      break;
    case Op::complement:
      if (!integer) throw Mistake("~ takes bools and integers");
      if (x.type == Type::b1) return emit_truth(Op::equal, x.type, x.node, constant(x.type, 0));
      break;
    default:
      if (x.type == Type::b1) throw sign_of_bools(op == Op::negate ? "-" : "sign");
  }
  return emit(op, x.type, {x.node});
}

Value Builder::binary(Op op, Value x, Value y) {
  if (x.is_weak() && y.is_weak()) return weak_binary(op, x, y);
  if (is_comparison(op)) return compare(op, x, y);
  if (op == Op::power) return power(x, y);
  Type type = common_type({&x, &y});
  switch (op) {
    case Op::bit_and:
    case Op::bit_or:
      if (is_real(type)) {
        const char sign = op == Op::bit_and ? '&' : '|';
        if (is_real(x.type) || is_real(y.type)) {
          throw Mistake(
              fmt::format("{} takes bools and integers; put comparisons in parentheses", sign));
        }
        throw Mistake(
            fmt::format("{} of u8 and signed integers has no type; cast them, as in i8(x)", sign));
      }
      break;
    case Op::divide:
      if (!is_real(type)) type = Type::f8;
      break;
    case Op::floor_divide:
    case Op::modulo:
      type = no_bool(type);
      break;
    case Op::subtract:
      if (type == Type::b1) throw sign_of_bools("-");
      break;
    default:
      if (type != Type::b1) break;
      op = op == Op::add || op == Op::maximum ? Op::bit_or : Op::bit_and;
  }
  return emit(op, type, {as(type, x), as(type, y)});
}

Value Builder::compare(Op op, const Value& x, const Value& y) {
  const Value& other = x.is_weak() ? x : y;
  if (other.kind == Value::Kind::whole && !fits(other.whole, common_type({&x, &y}))) {
    // The number is beyond all elements, on one side.
    const bool x_is_less = (other.whole < 0) == x.is_weak();
    const bool is_less_op = op == Op::less || op == Op::less_equal;
    const bool holds = is_less_op ? x_is_less : op == Op::not_equal;
    return {.type = Type::b1, .node = constant(Type::b1, static_cast<std::uint64_t>(holds))};
  }
  if (!x.is_weak() && !y.is_weak() && is_integer(x.type) && is_integer(y.type) &&
      is_real(promote(x.type, y.type))) {
    return compare_signed_unsigned(op, x, y);
  }
  const Type type = common_type({&x, &y});
  return emit_truth(op, type, as(type, x), as(type, y));
}

/// Exact, as in NumPy, though no type holds all values of both.
Value Builder::compare_signed_unsigned(Op op, Value x, Value y) {
  const Value& number = is_signed(x.type) ? x : y;
  const Value negative = compare(Op::less, number, whole(0));
  const Value bits = emit_truth(op, Type::u8, as(Type::u8, x), as(Type::u8, y));
  const bool less = op == Op::less || op == Op::less_equal;
  const bool holds_if_negative = less ? is_signed(x.type) : op == Op::not_equal;
  if (holds_if_negative) return binary(Op::bit_or, negative, bits);
  return binary(Op::bit_and, unary(Op::complement, negative), bits);
}

Value Builder::power(const Value& x, const Value& y) {
  const Type type = no_bool(common_type({&x, &y}));
  if (y.is_weak() && y.real == 1) return {.type = type, .node = as(type, x)};
  if (y.is_weak() && y.real == 2) {
    const int base = as(type, x);
    return emit(Op::multiply, type, {base, base});
  }
  if (!is_real(type)) {
    if (y.is_weak() && y.whole < 0) {
      throw Mistake("integers have no negative powers; cast them, as in f8(x)");
    }
    return emit(Op::power, type, {as(type, x), as(type, y)});
  }
  const int row = find_function("pow");
  if (row < 0) throw Mistake("real numbers have the powers 1 and 2 only");
  return function(row, std::array{x, y});
}

Value Builder::fused_multiply_add(const Value& x, const Value& y, const Value& z) {
  if (x.is_weak() && y.is_weak() && z.is_weak()) return real(std::fma(x.real, y.real, z.real));
  const Type type = real_of(common_type({&x, &y, &z}));
  return emit(Op::fused_multiply_add, type, {as(type, x), as(type, y), as(type, z)});
}

Value Builder::select(const Value& condition, const Value& x, const Value& y) {
  const bool all_weak = x.is_weak() && y.is_weak();
  const bool whole = x.kind == Value::Kind::whole && y.kind == Value::Kind::whole;
  if (condition.is_weak() && all_weak) {
    const Value& taken = condition.real != 0 ? x : y;
    return whole ? taken : real(taken.real);
  }
  const Type type = !all_weak ? common_type({&x, &y}) : whole ? Type::i8 : Type::f8;
  const int if_true = as(type, x);
  const int if_false = as(type, y);
  if (condition.is_weak()) return {.type = type, .node = condition.real != 0 ? if_true : if_false};
  return emit(Op::select, type, {as(Type::b1, condition), if_true, if_false});
}

Value Builder::cast(Type type, const Value& x) {
  if (x.kind == Value::Kind::real && is_integer(type)) {
    return cast(type, {.type = Type::f8, .node = as(Type::f8, x)});
  }
  return {.type = type, .node = as(type, x)};
}

Value Builder::function(int row, std::span<const Value> arguments) {
  const bool two = arguments.size() == 2;
  const Value& x = arguments.front();
  const Value& y = arguments.back();
  const bool weak = x.is_weak() && y.is_weak();
  const Type type = weak ? Type::f8 : real_of(common_type({&x, &y}));
  Node node{.op = Op::function,
            .from = lane_of(type),
            .to = lane_of(type),
            .detail = static_cast<std::uint64_t>(row)};
  node.arguments[0] = as(type, x);
  if (two) node.arguments[1] = as(type, y);
  Value result{.type = type, .node = add(node)};
  if (type == Type::f2) result.node = convert(Type::f2, {.type = Type::f4, .node = result.node});
  if (!weak) return result;
  return real(value_in<double>(nodes_[static_cast<std::size_t>(result.node)].detail));
}

Value Builder::weak_unary(Op op, const Value& x) {
  if (x.kind == Value::Kind::whole && op != Op::square_root) {
    return whole(whole_result(op, x.whole, 0));
  }
  if (op == Op::complement) throw Mistake("~ takes bools and integers");
  return weak_result(op, {cell_of(x.real)});
}

Value Builder::weak_binary(Op op, const Value& x, const Value& y) {
  if (is_comparison(op)) {
    const bool whole = x.kind == Value::Kind::whole && y.kind == Value::Kind::whole;
    const Cells cells = {cell_of(x.real), cell_of(y.real)};
    const bool holds =
        whole ? compare_whole(op, x.whole, y.whole) : compute({.op = op}, cells.data()) != 0;
    return {.type = Type::b1, .node = constant(Type::b1, static_cast<std::uint64_t>(holds))};
  }
  const bool divides = op == Op::divide || op == Op::floor_divide || op == Op::modulo;
  const bool inverts = op == Op::power && x.real == 0 && y.real < 0;
  if ((divides && y.real == 0) || inverts) throw Mistake("division of numbers by zero");
  const bool whole_numbers = x.kind == Value::Kind::whole && y.kind == Value::Kind::whole;
  if (whole_numbers && op == Op::power && y.whole < 0) {
    return real(1 / static_cast<double>(whole_result(op, x.whole, -y.whole)));
  }
  if (whole_numbers && op != Op::divide) return whole(whole_result(op, x.whole, y.whole));
  if (op == Op::bit_and || op == Op::bit_or) throw Mistake("& and | take bools and integers");
  if (op == Op::power) {
    if (y.real == 1) return real(x.real);
    if (y.real == 2) return real(x.real * x.real);
    const int row = find_function("pow");
    if (row < 0) throw Mistake("real numbers have the powers 1 and 2 only");
    return function(row, std::array{x, y});
  }
  return weak_result(op, {cell_of(x.real), cell_of(y.real)});
}

Program Builder::finish(const Value& result) {
  Type type = result.type;
  if (result.kind == Value::Kind::whole) type = fits(result.whole, Type::i8) ? Type::i8 : Type::u8;
  if (result.kind == Value::Kind::real) type = Type::f8;
  int node = as(type, result);
  if (type == Type::f2) {
    node = add({.op = Op::narrow_half,
                .from = ElementType::f32,
                .to = ElementType::u16,
                .arguments = {node, kNoValue, kNoValue, kNoValue}});
  }
  Program program{.nodes = nodes_, .type = type, .inputs = inputs_.size()};
  program.nodes.resize(static_cast<std::size_t>(node) + 1);
  return keep_used(program);
}

}  // namespace tessera::expression
