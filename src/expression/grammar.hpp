// The operators, constants and functions of expressions. kernels/functions/list.h has the other
// functions.
#pragma once

#include <array>
#include <limits>
#include <numbers>
#include <span>
#include <string_view>

#include "expression/builder.hpp"

namespace tessera::expression {

using Text = std::string_view;
using Values = std::span<const Value>;

struct NamedFunction {
  Text name;
  std::size_t arity;
  Value (*make)(Builder& builder, Values arguments);
};

template <Op kOp>
Value make_unary(Builder& builder, Values x) {
  return builder.unary(kOp, x[0]);
}
template <Op kOp>
Value make_binary(Builder& builder, Values x) {
  return builder.binary(kOp, x[0], x[1]);
}

inline constexpr std::array kOperations = {
    NamedFunction{"where", 3, [](Builder& b, Values x) { return b.select(x[0], x[1], x[2]); }},
    NamedFunction{"fma", 3,
                  [](Builder& b, Values x) { return b.fused_multiply_add(x[0], x[1], x[2]); }},
    NamedFunction{"abs", 1, &make_unary<Op::absolute>},
    NamedFunction{"sqrt", 1, &make_unary<Op::square_root>},
    NamedFunction{"floor", 1, &make_unary<Op::floor>},
    NamedFunction{"ceil", 1, &make_unary<Op::ceil>},
    NamedFunction{"rint", 1, &make_unary<Op::rint>},
    NamedFunction{"sign", 1, &make_unary<Op::sign>},
    NamedFunction{"isnan", 1, &make_unary<Op::is_nan>},
    NamedFunction{"isfinite", 1, &make_unary<Op::is_finite>},
    NamedFunction{"min", 2, &make_binary<Op::minimum>},
    NamedFunction{"max", 2, &make_binary<Op::maximum>},
};

struct NamedConstant {
  Text name;
  double value;
};

inline constexpr std::array kConstants = {
    NamedConstant{"pi", std::numbers::pi}, NamedConstant{"e", std::numbers::e},
    NamedConstant{"nan", std::numeric_limits<double>::quiet_NaN()},
    NamedConstant{"inf", std::numeric_limits<double>::infinity()}};

struct Operator {
  Text text;
  Op op;
  bool swapped = false;  ///< y op x
};

inline constexpr std::array kComparisons = {
    Operator{"<=", Op::less_equal}, Operator{">=", Op::less_equal, true},
    Operator{"==", Op::equal},      Operator{"!=", Op::not_equal},
    Operator{"<", Op::less},        Operator{">", Op::less, true}};
inline constexpr std::array kUnions = {Operator{"|", Op::bit_or}};
inline constexpr std::array kIntersections = {Operator{"&", Op::bit_and}};
inline constexpr std::array kSums = {Operator{"+", Op::add}, Operator{"-", Op::subtract}};
inline constexpr std::array kProducts = {Operator{"*", Op::multiply},
                                         Operator{"//", Op::floor_divide},
                                         Operator{"/", Op::divide}, Operator{"%", Op::modulo}};

/// The binary operators that bind more closely than comparisons, loosest first.
inline constexpr std::array<std::span<const Operator>, 4> kLevels = {kUnions, kIntersections, kSums,
                                                                     kProducts};

/// Advice for a sign or a word of other languages.
struct Foreign {
  Text text;
  Text advice;
};

inline constexpr std::array kForeign = {
    Foreign{"&&", "write & with both sides in parentheses"},
    Foreign{"||", "write | with both sides in parentheses"},
    Foreign{"and", "write & with both sides in parentheses"},
    Foreign{"or", "write | with both sides in parentheses"},
    Foreign{"not", "write ~(...)"},
    Foreign{"!", "write ~(...)"},
    Foreign{"^", "a power is x**y"},
    Foreign{"<<", "multiply by a power of 2"},
    Foreign{">>", "divide with // by a power of 2"},
    Foreign{"=", "compare with =="},
    Foreign{"if", "write where(condition, x, y)"},
};

}  // namespace tessera::expression
