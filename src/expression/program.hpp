// An expression as a list of operations, each of which uses values of earlier ones.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/element.hpp"
#include "expression/type.hpp"

namespace tessera::expression {

/// The operations are defined in arithmetic.hpp.
enum class Op : std::uint8_t {
  input,     ///< `detail` = its number; elements as in the file
  constant,  ///< `detail` = its bytes
  index,     ///< `detail` = dimension, or kFlat for the index in C order
  function,  ///< `detail` = its row in functions()
  cast,
  widen_half,   ///< bits of an f16 to f32
  narrow_half,  ///< f32 that is an f16 to its bits
  round_half,   ///< to the nearest f16, as f32
  negate,
  absolute,
  sign,
  complement,
  square_root,
  floor,
  ceil,
  rint,
  is_nan,
  is_finite,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  minimum,
  maximum,
  less,
  less_equal,
  equal,
  not_equal,
  bit_and,
  bit_or,
  fused_multiply_add,
  select,  ///< one of two values, by a bool
  // Made by fuse() only. Each intermediate result is rounded.
  multiply_add,
  multiply_subtract,
  multiply_add_root,
  add_products,  ///< (x, y, z, w): x*y + z*w
  subtract_products,
  add_products_root,
  select_less,  ///< (a, b, x, y): a < b ? x : y
  select_less_equal,
  select_equal,
  select_not_equal
};

inline constexpr std::uint64_t kFlat = 0xff;
inline constexpr int kNoValue = -1;
// not crossed: the size of an array
inline constexpr std::size_t kMaxArguments = 4;

struct Node {
  Op op = Op::constant;
  base::ElementType from = base::ElementType::f64;  ///< type of the last argument
  base::ElementType to = base::ElementType::f64;    ///< type of the result
  std::array<int, kMaxArguments> arguments = {kNoValue, kNoValue, kNoValue, kNoValue};
  std::uint64_t detail = 0;

  friend bool operator==(const Node&, const Node&) = default;
};

/// A value of a program that is requested. Its elements are element_of(type).
struct Result {
  int node = kNoValue;
  Type type = Type::f8;
};

struct Program {
  std::vector<Node> nodes;  ///< arguments come before their operations; the last one is the result
  Type type = Type::f8;     ///< type of the result, whose elements are element_of(type)
  std::size_t inputs = 0;   ///< number of arrays, used or not
  std::vector<Result> results;  ///< results of join(): instead of the last one
};

/// Those of join(), or the last value.
std::vector<Result> results_of(const Program& program);

/// The programs, which have the same inputs, as one with all their results. Values that they have
/// in common are computed once.
Program join(std::span<const Program> programs);

/// Whether input `number` is used.
bool uses_input(const Program& program, std::size_t number);

/// Without the values that the result does not need.
Program keep_used(const Program& program);

/// Joins operations that are cheaper together. The result has the same bits.
Program fuse(const Program& program);

}  // namespace tessera::expression
